/** Asks before a backup is deleted, and shows what can't be restored without it. The message afterwards offers to undo the deletion. */
import { For } from 'solid-js';
import { api } from '../../../api/client.ts';
import { queries } from '../../../api/query-client.ts';
import { t } from '../../../text/text.ts';
import { exactTime } from '../../../ui/age.tsx';
import { Confirm } from '../../../ui/dialog.tsx';
import { attempt, say } from '../../../ui/toasts.tsx';
import { backupsText } from '../backups-text.ts';
import type { Backup } from './backup.ts';
import { type BackupSource, renewBackups } from './backup-source.ts';
import { lostWith } from './lost-with.ts';
import { removeBackupText } from './remove-backup-text.ts';

interface RemoveBackupProps {
  source: BackupSource;
  backup: Backup;
  /** All backups of the service, newest first. */
  all: readonly Backup[];
  onClose(): void;
}

export function RemoveBackup(props: RemoveBackupProps) {
  const { source, backup, all } = props;
  const renew = () =>
    Promise.all([renewBackups(source), queries.invalidateQueries({ queryKey: ['deleted'] })]);
  const undo = () =>
    attempt(async () => {
      const params = { serviceId: source.serviceId, backupId: backup.id };
      await api.call('POST /api/services/:serviceId/database/backups/:backupId/undelete', { params });
      say(t.trash.restored(backupsText.itself));
      await renew();
    });
  const remove = () =>
    attempt(async () => {
      await source.remove(backup.id);
      say(removeBackupText.removed, { label: t.trash.undo, run: () => void undo() });
      await renew();
    });
  return (
    <Confirm
      title={removeBackupText.title(exactTime(backup.createdAt))}
      help={removeBackupText.kept}
      submit={removeBackupText.submit}
      danger
      onClose={props.onClose}
      onConfirm={() => void remove()}
    >
      <For each={lostWith(source.of, backup, all)}>
        {({ text, isSerious }) => <p classList={{ warning: isSerious }}>{text}</p>}
      </For>
    </Confirm>
  );
}
