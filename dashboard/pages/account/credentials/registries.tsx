/** Logins at registries of container images. */
import { api } from '../../../api/client.ts';
import { EditedList } from '../../../shell/edited-list.tsx';
import { credentialsText } from '../../../text/credentials-text.ts';
import { variablesText } from '../../../text/service-text.ts';
import { Age } from '../../../ui/age.tsx';
import { EditAndRemove } from '../../../ui/edit-and-remove.tsx';
import { RecordDialog, type RecordField } from '../../../ui/record-dialog.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt, say } from '../../../ui/toasts.tsx';
import { type Registry, renewCredentials, useRegistries } from './credential-queries.ts';

const texts = credentialsText.registry;
const renew = () => renewCredentials('registries');

export function Registries(props: { mayWrite: boolean }) {
  const query = useRegistries();
  return (
    <EditedList
      query={query}
      title={texts.title}
      help={texts.help}
      mayEdit={props.mayWrite}
      add={texts.add}
      none={{ title: texts.none, help: texts.noneHelp }}
      row={(registry, edit) => (
        <li>
          <div>
            <p>
              <strong>{registry().host}</strong>
            </p>
            <p class="quiet-text facts-line">
              <code>{registry().username}</code>
              <span>
                {credentialsText.changed} <Age at={registry().updatedAt} />
              </span>
            </p>
          </div>
          <Show when={props.mayWrite}>
            <div class="actions">
              <EditAndRemove
                name={registry().host}
                removeHelp={texts.removeHelp}
                onEdit={edit}
                onRemove={() => void remove(registry())}
              />
            </div>
          </Show>
        </li>
      )}
      dialog={(registry, close) => <EditRegistry registry={registry} onClose={close} />}
    />
  );
}

const remove = ({ id, host }: Registry) =>
  attempt(async () => {
    await api.call('DELETE /api/registries/:registryId', { params: { registryId: id } });
    say(credentialsText.removed(host));
    await renew();
  });

type Name = 'host' | 'username' | 'password';

function EditRegistry(props: { registry: Registry | undefined; onClose(): void }) {
  const { registry } = props;
  const host: RecordField<Name> = {
    name: 'host',
    kind: 'text',
    mono: true,
    label: texts.host,
    help: texts.hostHelp,
  };
  const fields: RecordField<Name>[] = [
    ...(registry ? [] : [{ ...host, isRequired: true }]),
    { name: 'username', kind: 'text', mono: true, label: credentialsText.username, isRequired: true },
    {
      ...{ name: 'password', kind: 'password', label: texts.password },
      ...(registry ? { help: credentialsText.stays } : { isRequired: true }),
    },
  ];
  return (
    <RecordDialog
      title={registry ? variablesText.edit(registry.host) : texts.add}
      fields={fields}
      first={{ host: registry?.host ?? '', username: registry?.username ?? '', password: '' }}
      send={async ({ host, username, password }) => {
        if (registry) {
          const body = { username, ...(password === '' ? {} : { password }) };
          await api.call('PATCH /api/registries/:registryId', { params: { registryId: registry.id }, body });
        } else {
          await api.call('POST /api/registries', { body: { host: host.trim(), username, password } });
        }
        await renew();
        return credentialsText.saved(registry?.host ?? host);
      }}
      onClose={props.onClose}
    />
  );
}
