/** Backups and their settings as the API shows them, with progress, last verification, last restore and last drill. */
import { z } from 'zod';
import { type JobProgress, progressSchema } from '../../../protocol/job-report.ts';
import { backupFormats, storages } from '../../domain/backups/backup-format.ts';
import { nextDue } from '../../domain/backups/backup-schedule.ts';
import { drillStates } from '../../domain/backups/drill-state.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import type { BackupRow, BackupSettingsRow, RestoreRow } from '../../store/backups/backup-store.ts';
import type { DrillRow } from '../../store/backups/drill-store.ts';

const states = ['running', 'succeeded', 'failed'] as const;

export const restoreStateSchema = z.object({
  id: z.string(),
  serviceId: z.string(),
  state: z.enum(states),
  progress: progressSchema.nullable(),
  error: z.string().nullable(),
  /** The backup of the replaced data; null if the restore failed before that backup was taken. */
  safetyBackupId: z.string().nullable(),
  createdAt: timestampSchema,
  finishedAt: timestampSchema.nullable(),
});

export const backupSchema = z.object({
  id: z.string(),
  serviceId: z.string(),
  engine: z.string(),
  status: z.enum(states),
  trigger: z.enum(['manual', 'daily', 'weekly', 'monthly', 'pre-restore', 'move']),
  storage: z.enum(storages),
  format: z.enum(backupFormats),
  localPath: z.string().nullable(),
  remoteKey: z.string().nullable(),
  sizeBytes: z.int(),
  checksum: z.string(),
  /** The key with which the file is encrypted; null: it is not. */
  encryptedWith: z.string().nullable(),
  tables: z.int().nullable(),
  rows: z.int().nullable(),
  /** What the database had and the backup does not hold, one sentence each. */
  notKept: z.array(z.string()),
  progress: progressSchema.nullable(),
  error: z.string().nullable(),
  lastProvenAt: timestampSchema.nullable(),
  createdAt: timestampSchema,
  startedAt: timestampSchema,
  finishedAt: timestampSchema.nullable(),
});

export const drillSchema = z.object({
  id: z.string(),
  backupId: z.string(),
  trigger: z.enum(['manual', 'weekly']),
  state: z.enum(drillStates),
  progress: progressSchema.nullable(),
  error: z.string().nullable(),
  createdAt: timestampSchema,
  finishedAt: timestampSchema.nullable(),
});

/** A backup in a list, with its latest restore and its latest drill. */
export const listedBackupSchema = backupSchema.extend({
  restore: restoreStateSchema.nullable(),
  drill: drillSchema.nullable(),
});

export const backupSettingsSchema = z.object({
  serviceId: z.string(),
  storage: z.enum(storages),
  automaticEnabled: z.boolean(),
  dailyEnabled: z.boolean(),
  weeklyEnabled: z.boolean(),
  monthlyEnabled: z.boolean(),
  drill: z.enum(['weekly', 'off']),
  /** When the next scheduled backup is due; null: none is scheduled. */
  nextBackupAt: timestampSchema.nullable(),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

export function presentBackup(row: BackupRow): z.infer<typeof backupSchema> {
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

/** @param of all restores and drills of the service, newest first */
export function presentListedBackup(
  row: BackupRow,
  { restores, drills }: { restores: readonly RestoreRow[]; drills: readonly DrillRow[] },
): z.infer<typeof listedBackupSchema> {
  const restore = restores.find(({ backupId }) => backupId === row.id);
  const drill = drills.find(({ backupId }) => backupId === row.id);
  return {
    ...presentBackup(row),
    restore: restore ? presentRestore(restore) : null,
    drill: drill ? presentDrill(drill) : null,
  };
}

export function presentDrill(row: DrillRow): z.infer<typeof drillSchema> {
  const { id, backupId, trigger, status, error, createdAt, finishedAt } = row;
  return {
    ...{ id, backupId, trigger, state: status, progress: progressOf(row), error },
    createdAt: timestamp(createdAt),
    finishedAt: timestampOrNull(finishedAt),
  };
}

export function presentBackupSettings(
  row: BackupSettingsRow,
  now: number,
): z.infer<typeof backupSettingsSchema> {
  const { nextCheckAt: _, notedDueAt: __, notedDrillAt: ___, quiesce: ____, ...of } = row;
  const { createdAt, updatedAt, ...shown } = of;
  return {
    ...shown,
    nextBackupAt: timestampOrNull(nextDue(row, now)),
    createdAt: timestamp(createdAt),
    updatedAt: timestamp(updatedAt),
  };
}

function presentRestore(row: RestoreRow): z.infer<typeof restoreStateSchema> {
  return {
    id: row.id,
    serviceId: row.serviceId,
    state: row.status,
    progress: progressOf(row),
    error: row.error,
    safetyBackupId: row.safetyBackupId || null,
    createdAt: timestamp(row.createdAt),
    finishedAt: timestampOrNull(row.finishedAt),
  };
}

/** Only a running job has progress. */
const progressOf = (row: { status: string; progress: JobProgress | null }) =>
  row.status === 'running' ? row.progress : null;
