/** What can't be restored any more after a backup is deleted. */

import { exactTime } from '../../../ui/age.tsx';
import type { Backup } from './backup.ts';
import type { BackupSource } from './backup-source.ts';
import { removeBackupText } from './remove-backup-text.ts';

export interface Loss {
  text: string;
  isSerious: boolean;
}

/** @param all backups of the service, newest first */
export function lostWith(of: BackupSource['of'], backup: Backup, all: readonly Backup[]): Loss[] {
  const copies = { text: removeBackupText.copies[backup.storage], isSerious: false };
  if (backup.status !== 'succeeded') return [{ text: removeBackupText.failed, isSerious: false }, copies];
  const usable = all.filter((one) => one.status === 'succeeded' && volumeOf(one) === volumeOf(backup));
  const others = usable.filter(({ id }) => id !== backup.id);
  const [newest] = others;
  const losses: string[] = [];
  if (!newest) losses.push(removeBackupText.last[of]);
  else if (newest.createdAt < backup.createdAt)
    losses.push(removeBackupText.newest(exactTime(newest.createdAt)));
  if (newest && backup.lastProvenAt && !others.some(({ lastProvenAt }) => lastProvenAt))
    losses.push(removeBackupText.lastProven);
  if (backup.trigger === 'pre-restore') losses.push(safetyText(backup, all));
  return [...losses.map((text) => ({ text, isSerious: true })), copies];
}

const volumeOf = (backup: Backup) => ('volumeId' in backup ? backup.volumeId : undefined);

function safetyText(backup: Backup, all: readonly Backup[]): string {
  const restored = all.find(({ restore }) => restore?.safetyBackupId === backup.id);
  return restored ? removeBackupText.before(exactTime(restored.createdAt)) : removeBackupText.safety;
}
