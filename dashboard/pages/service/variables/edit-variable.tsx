/** Creates a variable or changes one. */
import { createSignal, For } from 'solid-js';
import { api } from '../../../api/client.ts';
import { known } from '../../../api/known.ts';
import { renewService, useReferences, type Variable } from '../../../api/queries.ts';
import { variablesText } from '../../../text/service-text.ts';
import { t } from '../../../text/text.ts';
import { Button } from '../../../ui/button.tsx';
import { CompletedText } from '../../../ui/completed-text.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt, say } from '../../../ui/toasts.tsx';
import { completeReference } from './complete-reference.ts';

/** The rest of a reference when the cursor is inside its name. */
const restOfReference = /^[A-Z0-9_]*\}/;

const scopes = ['both', 'build', 'run'] as const satisfies readonly Variable['scope'][];
const chosenScope = (text: string) => scopes.find((one) => one === text) ?? 'both';

interface EditProps {
  serviceId: string;
  projectId: string;
  /** Whether the service has builds; otherwise there is no scope to choose. */
  isBuilt: boolean;
  variable?: Variable;
  onClose(): void;
}

export function EditVariable(props: EditProps) {
  const references = useReferences(() => props.projectId);
  const services = () => known(references)?.services ?? [];
  const [key, setKey] = createSignal(props.variable?.key ?? '');
  const [value, setValue] = createSignal(props.variable?.value ?? '');
  // For a new variable, the server decides by name and value, unless the user chooses.
  const [isSecret, setIsSecret] = createSignal(props.variable?.secret);
  const [scope, setScope] = createSignal<Variable['scope']>(props.variable?.scope ?? 'both');
  const [busy, setBusy] = createSignal(false);
  const save = async () => {
    setBusy(true);
    const isSaved = await attempt(async () => {
      const secret = isSecret();
      const choices = { scope: scope(), ...(secret === undefined ? {} : { secret }) };
      const body = { key: key(), value: value(), ...choices };
      const params = { serviceId: props.serviceId };
      const { warnings = [] } = await api.call('POST /api/services/:serviceId/env', { params, body });
      say([variablesText.saved(1), ...warnings].join('. '));
      await renewService(props.serviceId);
    });
    setBusy(false);
    if (isSaved) props.onClose();
  };
  return (
    <Dialog
      title={props.variable ? variablesText.edit(props.variable.key) : variablesText.add}
      onClose={props.onClose}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy()) void save();
        }}
      >
        <Show when={!props.variable}>
          <label>
            <span>{variablesText.key}</span>
            <input
              class="mono"
              required
              autofocus
              pattern="[A-Z_][A-Z0-9_]*"
              title={variablesText.keyRule}
              spellcheck={false}
              autocapitalize="characters"
              autocomplete="off"
              value={key()}
              onInput={(event) => setKey(event.currentTarget.value.toUpperCase())}
            />
            <small class="quiet-text">{variablesText.keyRule}</small>
          </label>
        </Show>
        <div class="value-field">
          <span aria-hidden="true">{variablesText.value}</span>
          <CompletedText
            value={value()}
            label={variablesText.value}
            listLabel={variablesText.references}
            rows={3}
            autofocus={props.variable !== undefined}
            onInput={setValue}
            complete={(at) => completeReference(value().slice(0, at), services(), props.serviceId, key())}
            isEager
            replacedAfter={restOfReference}
          >
            {({ text }) => <code>{text}</code>}
          </CompletedText>
          <Show when={services().length > 0}>
            <small class="quiet-text">{variablesText.referenceHelp}</small>
          </Show>
        </div>
        <Show when={props.isBuilt}>
          <label>
            <span>{variablesText.scope}</span>
            <select value={scope()} onInput={(event) => setScope(chosenScope(event.currentTarget.value))}>
              <For each={scopes}>{(one) => <option value={one}>{variablesText.scopes[one]}</option>}</For>
            </select>
            <small class="quiet-text">{variablesText.scopeHelp}</small>
          </label>
        </Show>
        <label class="check">
          <input
            type="checkbox"
            checked={isSecret() ?? false}
            ref={(box) => {
              box.indeterminate = isSecret() === undefined;
            }}
            onInput={(event) => setIsSecret(event.currentTarget.checked)}
          />
          <span>
            {variablesText.secret} <small class="quiet-text">{variablesText.secretHelp}</small>
          </span>
        </label>
        <footer class="actions end">
          <Button onClick={props.onClose}>{t.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy()}>
            {variablesText.save}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
