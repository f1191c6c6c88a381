/** Backups of databases and of volumes, and their settings, as the API shows them: with progress, last restore and last drill. */
import { z } from 'zod';
import { type JobProgress, progressSchema } from '../../../protocol/job-report.ts';
import { exampleTime, note } from '../../../protocol/note.ts';
import type { Quiesce } from '../../../protocol/volumes/volume-job-spec.ts';
import { backupFormats, backupTriggers, storages } from '../../domain/backups/backup-format.ts';
import { nextDue } from '../../domain/backups/backup-schedule.ts';
import { drillStates } from '../../domain/backups/drill-state.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import type { BackupSettingsRow, RestoreRow, StartedBackup } from '../../store/backups/backup-store.ts';
import type { StartedDrill } from '../../store/backups/drill-store.ts';
import { startedBySchema } from './present-initiator.ts';

const states = ['running', 'succeeded', 'failed'] as const;
export const quiesceModes = ['none', 'stop', 'command'] as const;

const restoreStateSchema = z.object({
  id: idOf('restore'),
  serviceId: z.string().meta(notes.serviceId),
  state: z.enum(states).meta(notes.state),
  progress: progressSchema.nullable().meta(notes.progress),
  error: z.string().nullable().meta(notes.error),
  startedBy: startedBySchema,
  safetyBackupId: z
    .string()
    .nullable()
    .describe('The backup of the replaced data; null if the restore failed before that backup was taken.'),
  createdAt: timestampSchema.meta(notes.createdAt),
  finishedAt: timestampSchema.nullable().meta(notes.finishedAt),
});

export const backupSchema = z.object({
  id: idOf('backup'),
  serviceId: z.string().meta(notes.serviceId),
  engine: z.string().meta(notes.engine),
  status: z.enum(states).meta(notes.state),
  trigger: z.enum(backupTriggers).describe('What started it.'),
  startedBy: startedBySchema,
  storage: z.enum(storages).meta(notes.storage),
  format: z.enum(backupFormats).describe('Format of the file.'),
  localPath: z
    .string()
    .nullable()
    .meta(
      note(
        'Path of the file on the host; null: no copy there.',
        '/var/lib/longshore-runner/backups/bak_1.dump',
      ),
    ),
  remoteKey: z
    .string()
    .nullable()
    .meta(note('Key of the file in the bucket; null: no copy there.', 'backups/bak_1.dump')),
  sizeBytes: z.int().meta(notes.sizeBytes),
  checksum: z.string().meta(notes.checksum),
  encryptedWith: z.string().nullable().describe('The key with which the file is encrypted; null: it is not.'),
  tables: z.int().nullable().describe('Number of tables.'),
  rows: z.int().nullable().meta(notes.numberOfRows),
  notKept: z.array(z.string()).describe('Parts of the source that the backup does not contain.'),
  progress: progressSchema.nullable().meta(notes.progress),
  error: z.string().nullable().meta(notes.error),
  lastProvenAt: timestampSchema.nullable().meta(note('When a test restore last succeeded.', exampleTime)),
  createdAt: timestampSchema.meta(notes.createdAt),
  startedAt: timestampSchema.meta(notes.startedAt),
  finishedAt: timestampSchema.nullable().meta(notes.finishedAt),
});

export const drillSchema = z.object({
  id: idOf('drill'),
  backupId: z.string().meta(notes.backupId),
  trigger: z.enum(['manual', 'weekly']).describe('What started it.'),
  startedBy: startedBySchema,
  state: z.enum(drillStates).meta(notes.state),
  progress: progressSchema.nullable().meta(notes.progress),
  error: z.string().nullable().meta(notes.error),
  createdAt: timestampSchema.meta(notes.createdAt),
  finishedAt: timestampSchema.nullable().meta(notes.finishedAt),
});

const volumeBackupSchema = backupSchema.omit({ engine: true, tables: true, rows: true }).extend({
  volumeId: z.string().meta(notes.volumeId),
  quiesce: z.enum(quiesceModes).meta(notes.quiesce),
  entries: z
    .int()
    .nullable()
    .describe('Files, directories, links and pipes in the backup; null until they are copied.'),
});

/** The latest restore and drill of a backup in a list. */
const latestSchemas = {
  restore: restoreStateSchema.nullable().meta(notes.restore),
  drill: drillSchema.nullable().meta(notes.drill),
};

const backupSettingsSchema = z.object({
  serviceId: z.string().meta(notes.serviceId),
  storage: z.enum(storages).meta(notes.storage),
  automaticEnabled: z.boolean().meta(notes.automaticEnabled),
  dailyEnabled: z.boolean().meta(notes.dailyEnabled),
  weeklyEnabled: z.boolean().meta(notes.weeklyEnabled),
  monthlyEnabled: z.boolean().meta(notes.monthlyEnabled),
  drill: z.enum(['weekly', 'off']).meta(notes.drill),
  nextBackupAt: timestampSchema
    .nullable()
    .meta(note('When the next scheduled backup is due; null: none is scheduled.', exampleTime)),
  createdAt: timestampSchema.meta(notes.createdAt),
  updatedAt: timestampSchema.meta(notes.updatedAt),
});

const volumeBackupSettingsSchema = backupSettingsSchema.extend({
  /** What the service does while its volumes are copied by the schedule. */
  quiesce: z.enum(quiesceModes).describe('What the service does while the schedule copies its volumes.'),
});

export function presentBackup(row: StartedBackup): z.infer<typeof backupSchema> {
  const { jobId: _, removingUntil: __, volumeId: ___, quiesce: ____, ...of } = row;
  const { createdAt, startedAt, finishedAt, lastProvenAt, ...shown } = of;
  return {
    ...shown,
    notKept: row.notKept ?? [],
    progress: progressOf(row),
    lastProvenAt: timestampOrNull(lastProvenAt),
    createdAt: timestamp(createdAt),
    startedAt: timestamp(startedAt),
    finishedAt: timestampOrNull(finishedAt),
  };
}

function presentVolumeBackup(row: StartedBackup): z.infer<typeof volumeBackupSchema> {
  const { engine: _, tables: __, rows, ...shown } = presentBackup(row);
  return { ...shown, volumeId: row.volumeId ?? '', quiesce: row.quiesce?.type ?? 'none', entries: rows };
}

/** Adds the latest restore and drill of a backup. @param of the restores and drills of the service, newest first */
export function withLatest<Shown extends { id: string }>(
  shown: Shown,
  { restores, drills }: { restores: readonly RestoreRow[]; drills: readonly StartedDrill[] },
) {
  const restore = restores.find(({ backupId }) => backupId === shown.id);
  const drill = drills.find(({ backupId }) => backupId === shown.id);
  return {
    ...shown,
    restore: restore ? presentRestore(restore) : null,
    drill: drill ? presentDrill(drill) : null,
  };
}

export function presentDrill(row: StartedDrill): z.infer<typeof drillSchema> {
  const { id, backupId, trigger, startedBy, status, error, createdAt, finishedAt } = row;
  return {
    ...{ id, backupId, trigger, startedBy, state: status, progress: progressOf(row), error },
    createdAt: timestamp(createdAt),
    finishedAt: timestampOrNull(finishedAt),
  };
}

function presentBackupSettings(row: BackupSettingsRow, now: number): z.infer<typeof backupSettingsSchema> {
  const { nextCheckAt: _, notedDueAt: __, notedDrillAt: ___, quiesce: ____, ...of } = row;
  const { createdAt, updatedAt, ...shown } = of;
  return {
    ...shown,
    nextBackupAt: timestampOrNull(nextDue(row, now)),
    createdAt: timestamp(createdAt),
    updatedAt: timestamp(updatedAt),
  };
}

/** What a backup does to the service, for the answer to the request that starts it. */
const quiesceNotice: Readonly<Record<Quiesce['type'], string>> = {
  none: 'The service keeps running. Files that it writes during the copy may be half written in the backup: choose "stop" or "command" to prevent that.',
  stop: 'The service is stopped while its volume is copied, and does not answer meanwhile. It starts again after the copy, before the backup is verified.',
  command:
    'The service keeps running. "before" runs in its container before the copy, and "after" runs after it in any case.',
};

/** The API's view of each subject's backups: a schema, and the function that fills it. */
export const backupViews = {
  database: {
    listed: backupSchema.extend(latestSchemas),
    present: presentBackup,
    settings: backupSettingsSchema,
    presentSettings: presentBackupSettings,
    started: z.object({ backup: backupSchema }),
    presentStarted: (row: StartedBackup) => ({ backup: presentBackup(row) }),
  },
  volume: {
    listed: volumeBackupSchema.extend(latestSchemas),
    present: presentVolumeBackup,
    settings: volumeBackupSettingsSchema,
    presentSettings: (row: BackupSettingsRow, now: number): z.infer<typeof volumeBackupSettingsSchema> => ({
      ...presentBackupSettings(row, now),
      quiesce: row.quiesce?.type ?? 'none',
    }),
    started: z.object({
      backup: volumeBackupSchema,
      quiesce: z.enum(quiesceModes).meta(notes.quiesce),
      detail: z.string().meta(notes.detail),
    }),
    presentStarted(row: StartedBackup) {
      const backup = presentVolumeBackup(row);
      return { backup, quiesce: backup.quiesce, detail: quiesceNotice[backup.quiesce] };
    },
  },
};

function presentRestore(row: RestoreRow): z.infer<typeof restoreStateSchema> {
  return {
    id: row.id,
    serviceId: row.serviceId,
    state: row.status,
    progress: progressOf(row),
    error: row.error,
    startedBy: row.startedBy,
    safetyBackupId: row.safetyBackupId || null,
    createdAt: timestamp(row.createdAt),
    finishedAt: timestampOrNull(row.finishedAt),
  };
}

/** Only a running job has progress. */
const progressOf = (row: { status: string; progress: JobProgress | null }) =>
  row.status === 'running' ? row.progress : null;
