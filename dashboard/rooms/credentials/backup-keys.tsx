/** Keys with which backups are encrypted: made once, shown once, retired. */
import { createSignal } from 'solid-js';
import { api } from '../../api/client.ts';
import { t } from '../../text/text.ts';
import { Age } from '../../ui/age.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { EditAndRemove } from '../../ui/edit-and-remove.tsx';
import { Show } from '../../ui/show.ts';
import { ShownOnce } from '../../ui/shown-once.tsx';
import { attempt, say } from '../../ui/toasts.tsx';
import { EditedList } from '../edited-list.tsx';
import { type BackupKey, renewCredentials, useBackupKeys } from './queries.ts';

const texts = t.credentials.backup;
const renew = () => renewCredentials('backup-keys');

export function BackupKeys(props: { mayWrite: boolean }) {
  const query = useBackupKeys();
  const [identity, setIdentity] = createSignal<string>();
  const make = () =>
    attempt(async () => {
      setIdentity((await api.call('POST /api/backup-keys')).identity);
      await renew();
    });
  return (
    <>
      <EditedList
        query={query}
        title={texts.title}
        help={texts.help}
        mayEdit={props.mayWrite}
        add={texts.add}
        none={{ title: texts.none, help: texts.noneHelp }}
        row={(key) => <KeyRow backupKey={key()} mayWrite={props.mayWrite} />}
        dialog={(_, close) => (
          <Confirm
            title={texts.makeTitle}
            help={texts.makeHelp}
            submit={texts.add}
            onClose={close}
            onConfirm={() => void make()}
          />
        )}
      />
      <Show when={identity()}>
        {(secret) => (
          <ShownOnce
            title={texts.secretTitle}
            help={texts.secretHelp}
            what={texts.secret}
            secret={secret()}
            onClose={() => setIdentity(undefined)}
          />
        )}
      </Show>
    </>
  );
}

function KeyRow(props: { backupKey: BackupKey; mayWrite: boolean }) {
  const key = () => props.backupKey;
  return (
    <li>
      <div>
        <p class="long-text">
          <code>{key().recipient}</code>{' '}
          <Show when={key().isCurrent}>
            <span class="tag">{texts.current}</span>
          </Show>
        </p>
        <p class="quiet-text facts-line">
          <span>{texts.backups(key().encryptedBackups)}</span>
          <span>
            {texts.since} <Age at={key().createdAt} />
          </span>
          <Show when={key().retiredAt}>
            {(at) => (
              <span>
                {texts.retired} <Age at={at()} />
              </span>
            )}
          </Show>
        </p>
      </div>
      <Show when={props.mayWrite && key().isCurrent}>
        <div class="actions">
          <EditAndRemove
            name={key().recipient.slice(0, 12)}
            removeHelp={texts.removeHelp}
            onRemove={() => void retire(key())}
          />
        </div>
      </Show>
    </li>
  );
}

const retire = ({ id, recipient }: BackupKey) =>
  attempt(async () => {
    await api.call('DELETE /api/backup-keys/:backupKeyId', { params: { backupKeyId: id } });
    say(t.credentials.removed(recipient.slice(0, 12)));
    await renew();
  });
