/** DNS providers in whose zones records of domains are set. */

import { createSignal } from 'solid-js';
import type { PostSystemDnsProvidersBody, ReplyOf } from '../../../../client/client.ts';
import { isOperator, operatorApi } from '../../../api/operator.ts';
import { useQuery } from '../../../api/use-query.ts';
import { credentialsText } from '../../../text/credentials-text.ts';
import { Age } from '../../../ui/age.tsx';
import { Answer } from '../../../ui/answer.tsx';
import { Button } from '../../../ui/button.tsx';
import { EditAndRemove } from '../../../ui/edit-and-remove.tsx';
import { RecordDialog, type RecordField } from '../../../ui/record-dialog.tsx';
import { Rows } from '../../../ui/rows.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt, say } from '../../../ui/toasts.tsx';
import { renew } from '../instance-queries.ts';
import { connectionsText } from './connections-text.ts';

const texts = connectionsText.dns;
type DnsProvider = ReplyOf<'GET /api/system/dns-providers'>['providers'][number];

export function DnsProviders() {
  const [edited, setEdited] = createSignal<DnsProvider>();
  const providers = useQuery(() => ({
    queryKey: ['operator', 'dns-providers'],
    enabled: isOperator(),
    queryFn: async ({ signal }) =>
      (await operatorApi.call('GET /api/system/dns-providers', { signal })).providers,
  }));
  return (
    <section class="stack">
      <header class="toolbar">
        <div>
          <h2>{texts.title}</h2>
          <p class="quiet-text">{texts.help}</p>
        </div>
      </header>
      <Answer query={providers} lines={3}>
        {(all) => (
          <ul class="lines">
            <Rows each={all()}>
              {(provider) => <ProviderRow provider={provider()} onEdit={() => setEdited(provider())} />}
            </Rows>
          </ul>
        )}
      </Answer>
      <Show when={edited()} keyed>
        {(provider) => <EditDnsProvider provider={provider} onClose={() => setEdited(undefined)} />}
      </Show>
    </section>
  );
}

function ProviderRow(props: { provider: DnsProvider; onEdit(): void }) {
  const provider = () => props.provider;
  const remove = () =>
    attempt(async () => {
      const params = { providerId: provider().id };
      await operatorApi.call('DELETE /api/system/dns-providers/:providerId', { params });
      say(credentialsText.removed(provider().name));
      await renew('dns-providers');
    });
  return (
    <li>
      <div>
        <p>
          <strong>{provider().name}</strong>{' '}
          <Show when={provider().connected}>
            <span class="tag">{texts.connected}</span>
          </Show>
        </p>
        <Show when={provider().updatedAt}>
          {(at) => (
            <p class="quiet-text">
              {credentialsText.changed} <Age at={at()} />
            </p>
          )}
        </Show>
      </div>
      <div class="actions">
        <Show
          when={provider().connected}
          fallback={
            <Button class="small" aria-label={texts.connectLabel(provider().name)} onClick={props.onEdit}>
              {texts.connect}
            </Button>
          }
        >
          <EditAndRemove
            name={provider().name}
            removeHelp={texts.removeHelp}
            onEdit={props.onEdit}
            onRemove={() => void remove()}
          />
        </Show>
      </div>
    </li>
  );
}

function EditDnsProvider(props: { provider: DnsProvider; onClose(): void }) {
  const { id, name, connected, credentials } = props.provider;
  const fields: RecordField<string>[] = [
    ...credentials.map(
      (one): RecordField<string> => ({
        ...{ name: one.name, label: one.name, mono: true, kind: one.secret ? 'password' : 'text' },
        help: connected ? `${one.description} ${credentialsText.stays}` : one.description,
        isRequired: one.required && !connected,
      }),
    ),
    { name: 'verify', kind: 'check', label: texts.verify, help: texts.verifyHelp },
  ];
  return (
    <RecordDialog<string>
      title={texts.connectLabel(name)}
      fields={fields}
      first={{ ...Object.fromEntries(credentials.map((one) => [one.name, ''])), verify: 'true' }}
      send={async ({ verify, ...typed }) => {
        const given = Object.fromEntries(Object.entries(typed).filter(([, text]) => text.trim() !== ''));
        const shared = { credentials: given, verify: verify === 'true' };
        if (connected) {
          await operatorApi.call('PATCH /api/system/dns-providers/:providerId', {
            params: { providerId: id },
            body: shared,
          });
        } else {
          // The server checks which credentials belong to which provider.
          const body = { id, ...shared } as unknown as PostSystemDnsProvidersBody;
          await operatorApi.call('POST /api/system/dns-providers', { body });
        }
        await renew('dns-providers');
        return credentialsText.saved(name);
      }}
      onClose={props.onClose}
    />
  );
}
