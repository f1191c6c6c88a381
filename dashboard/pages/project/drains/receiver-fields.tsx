/** The fields of one kind of receiver for a log drain. */
import type { SetStoreFunction } from 'solid-js/store';
import { drainsText } from '../../../text/drains-text.ts';
import { CheckField, ChoiceField, TextField } from '../../../ui/field.tsx';
import { Show } from '../../../ui/show.ts';
import { type DrainKind, headersOf, type ReceiverDraft } from './receiver-body.ts';

interface ReceiverFieldsProps {
  draft: ReceiverDraft;
  setDraft: SetStoreFunction<ReceiverDraft>;
  /** @param field in the API's form, such as `http.url` */
  failureAt(field: string): string | undefined;
  /** Why a line of the headers is invalid. */
  headerFailure: string | undefined;
}

const kinds = Object.keys(drainsText.kinds) as DrainKind[];
const kindChoices = kinds.map((value) => ({ value, text: drainsText.kinds[value] }));

export function ReceiverFields(props: ReceiverFieldsProps) {
  const failure = (field: string) => props.failureAt(`${props.draft.kind}.${field}`);
  const headerFailure = () =>
    props.headerFailure ??
    failure('headers') ??
    Object.keys(headersOf(props.draft.headers))
      .map((name) => failure(`headers.${name}`))
      .find(Boolean);
  return (
    <>
      <ChoiceField
        label={drainsText.kind}
        choices={kindChoices}
        value={props.draft.kind}
        onInput={(text) => props.setDraft('kind', kinds.find((one) => one === text) ?? 'http')}
      />
      <Show
        when={props.draft.kind !== 'syslog'}
        fallback={<SyslogFields draft={props.draft} setDraft={props.setDraft} failure={failure} />}
      >
        <TextField
          label={drainsText.url}
          help={drainsText.urlHelp[props.draft.kind === 'otlp' ? 'otlp' : 'http']}
          mono
          required
          failure={failure('url')}
          value={props.draft.url}
          onInput={(url) => props.setDraft('url', url)}
        />
        <TextField
          label={drainsText.headers}
          help={drainsText.headersHelp}
          mono
          rows={2}
          failure={headerFailure()}
          value={props.draft.headers}
          onInput={(headers) => props.setDraft('headers', headers)}
        />
      </Show>
    </>
  );
}

interface SyslogProps extends Pick<ReceiverFieldsProps, 'draft' | 'setDraft'> {
  failure(field: string): string | undefined;
}

function SyslogFields(props: SyslogProps) {
  return (
    <>
      <div class="field-grid">
        <TextField
          label={drainsText.host}
          mono
          required
          failure={props.failure('host')}
          value={props.draft.host}
          onInput={(host) => props.setDraft('host', host)}
        />
        <TextField
          label={drainsText.port}
          type="number"
          required
          failure={props.failure('port')}
          value={props.draft.port}
          onInput={(port) => props.setDraft('port', port)}
        />
      </div>
      <CheckField
        label={drainsText.tls}
        checked={props.draft.tls}
        onInput={(tls) => props.setDraft('tls', tls)}
      />
      <Show when={props.draft.tls}>
        <TextField
          label={drainsText.ca}
          help={drainsText.caHelp}
          mono
          rows={3}
          failure={props.failure('ca')}
          value={props.draft.ca}
          onInput={(ca) => props.setDraft('ca', ca)}
        />
      </Show>
    </>
  );
}
