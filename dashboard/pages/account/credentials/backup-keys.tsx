/** Keys with which backups are encrypted. A session can only list them, because only a permanent key may see their secret part. */

import { EditedList } from '../../../shell/edited-list.tsx';
import { credentialsText } from '../../../text/credentials-text.ts';
import { Age } from '../../../ui/age.tsx';
import { Show } from '../../../ui/show.ts';
import { type BackupKey, useBackupKeys } from './credential-queries.ts';

const texts = credentialsText.backup;

export function BackupKeys() {
  const query = useBackupKeys();
  return (
    <EditedList
      query={query}
      title={texts.title}
      help={texts.help}
      mayEdit={false}
      none={{ title: texts.none, help: texts.noneHelp }}
      row={(key) => <KeyRow backupKey={key()} />}
      dialog={() => null}
    />
  );
}

function KeyRow(props: { backupKey: BackupKey }) {
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
    </li>
  );
}
