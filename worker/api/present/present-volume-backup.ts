/** Backups of volumes as the API shows them, with their latest restore. */
import { z } from 'zod';
import type { Quiesce } from '../../../protocol/volumes/volume-job-spec.ts';
import type { BackupRow, BackupSettingsRow, RestoreRow } from '../../store/backups/backup-store.ts';
import type { DrillRow } from '../../store/backups/drill-store.ts';
import {
  backupSchema,
  backupSettingsSchema,
  drillSchema,
  presentBackup,
  presentBackupSettings,
  presentListedBackup,
  restoreStateSchema,
} from './present-backup.ts';

export const quiesceModes = ['none', 'stop', 'command'] as const;

export const volumeBackupSchema = backupSchema.omit({ engine: true, tables: true, rows: true }).extend({
  /** The volume that it was taken of; it may be deleted since. */
  volumeId: z.string(),
  /** What the service did while the volume was copied. */
  quiesce: z.enum(quiesceModes),
  /** Files, directories, links and pipes; null until they are copied. */
  entries: z
    .int()
    .nullable()
    .describe('Files, directories, links and pipes in the backup; null until they are copied.'),
});

export const listedVolumeBackupSchema = volumeBackupSchema.extend({
  restore: restoreStateSchema.nullable(),
  drill: drillSchema.nullable(),
});

export const volumeBackupSettingsSchema = backupSettingsSchema.extend({
  /** What the service does while its volumes are copied by the schedule. */
  quiesce: z.enum(quiesceModes).describe('What the service does while the schedule copies its volumes.'),
});

export function presentVolumeBackup(row: BackupRow): z.infer<typeof volumeBackupSchema> {
  const { engine: _, tables: __, rows, ...shown } = presentBackup(row);
  return { ...shown, volumeId: row.volumeId ?? '', quiesce: row.quiesce?.type ?? 'none', entries: rows };
}

/** @param of all restores and drills of the service, newest first */
export function presentListedVolumeBackup(
  row: BackupRow,
  of: { restores: readonly RestoreRow[]; drills: readonly DrillRow[] },
): z.infer<typeof listedVolumeBackupSchema> {
  const { restore, drill } = presentListedBackup(row, of);
  return { ...presentVolumeBackup(row), restore, drill };
}

export const presentVolumeBackupSettings = (
  row: BackupSettingsRow,
  now: number,
): z.infer<typeof volumeBackupSettingsSchema> => ({
  ...presentBackupSettings(row, now),
  quiesce: row.quiesce?.type ?? 'none',
});

/** What a backup does to the service, for the answer that starts it. */
export const quiesceNotice: Readonly<Record<Quiesce['type'], string>> = {
  none: 'The service keeps running. Files that it writes during the copy may be half written in the backup: choose "stop" or "command" to prevent that.',
  stop: 'The service is stopped while its volume is copied, and does not answer meanwhile. It starts again after the copy, before the backup is verified.',
  command:
    'The service keeps running. "before" runs in its container before the copy, and "after" runs after it in any case.',
};
