/** The descriptions of jobs on a volume of a service that is no database. */
import { z } from 'zod';
import { idSchema } from '../ids.ts';
import { storedBackupSchema } from '../stored-backup.ts';

/** Encrypts the backup that a job takes. `recipient`: `age1...`. */
export const encryptionSchema = z.object({ keyId: idSchema('backupKey'), recipient: z.string() });

/** The volume that a job copies or replaces. */
const volumeJob = {
  projectId: idSchema('project'),
  serviceId: idSchema('service'),
  /** Absent: backups are stored as they are. */
  encryption: encryptionSchema.optional(),
  volume: z.object({
    id: idSchema('volume'),
    /** For messages. */
    name: z.string(),
    /** What it may hold, in units of 2^20 bytes; null: no limit. */
    sizeMb: z.number().int().nullable(),
  }),
};

/** A command line for the shell of the service's image. */
const commandLineSchema = z.string().min(1).max(4_000);

/** What happens to the service while its volume is copied. */
export const quiesceSchema = z.discriminatedUnion('type', [
  /** Nothing: files that the service writes meanwhile may be half written in the backup. */
  z.object({ type: z.literal('none') }),
  /** The container is stopped, and starts again after the copy. */
  z.object({ type: z.literal('stop') }),
  /** `before` runs in the container before the copy, and `after` after it, even if `before` or the copy failed. */
  z.object({ type: z.literal('command'), before: commandLineSchema, after: commandLineSchema }),
]);

const volumeBackupSpecSchema = z.object({
  kind: z.literal('volume-backup'),
  ...volumeJob,
  backupId: idSchema('backup'),
  /** Keep a copy on the host. */
  toDisk: z.boolean(),
  /** Key of the copy in the control plane's bucket; null: none. */
  remoteKey: z.string().nullable(),
  quiesce: quiesceSchema,
});

const volumeRestoreSpecSchema = z.object({
  kind: z.literal('volume-restore'),
  ...volumeJob,
  restoreId: idSchema('restore'),
  backup: storedBackupSchema,
  /** The current files are first saved on the host as this backup. */
  safetyBackupId: idSchema('backup'),
  /** The service counts as up again once this port of its container accepts a connection. Null: once it stays up. */
  port: z.number().int().nullable(),
});

/**
 * Tests a backup of a volume: unpacks it into a temporary volume, compares every entry and removes it. The volume that it was taken of is
 * not needed: it may be deleted.
 */
const volumeDrillSpecSchema = z.object({
  kind: z.literal('volume-drill'),
  projectId: idSchema('project'),
  serviceId: idSchema('service'),
  drillId: idSchema('drill'),
  /** A backup of this service. */
  backup: storedBackupSchema,
});

/** Fills a volume of a service that moves to this host. Files of an earlier stay of the service here are replaced. */
const volumeFillSpecSchema = z.object({
  kind: z.literal('volume-fill'),
  ...volumeJob,
  restoreId: idSchema('restore'),
  backup: storedBackupSchema,
});

/** All kinds of jobs on volumes. */
export const volumeJobSpecSchemas = [
  volumeBackupSpecSchema,
  volumeRestoreSpecSchema,
  volumeDrillSpecSchema,
  volumeFillSpecSchema,
] as const;

export type Quiesce = z.infer<typeof quiesceSchema>;
export type VolumeBackupSpec = z.infer<typeof volumeBackupSpecSchema>;
export type VolumeRestoreSpec = z.infer<typeof volumeRestoreSpecSchema>;
export type VolumeDrillSpec = z.infer<typeof volumeDrillSpecSchema>;
export type VolumeFillSpec = z.infer<typeof volumeFillSpecSchema>;
