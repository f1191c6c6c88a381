/** The descriptions of jobs on a volume of a service that is not a database. */
import { z } from 'zod';
import { idSchema } from '../ids.ts';
import { storedBackupSchema } from '../stored-backup.ts';

/** Encrypts the backup of a job. `recipient`: `age1...`. */
export const encryptionSchema = z.object({ keyId: idSchema('backupKey'), recipient: z.string() });

/** The volume that a job copies or replaces. */
const volumeJob = {
  projectId: idSchema('project'),
  serviceId: idSchema('service'),
  /** Absent: backups are stored as they are. */
  encryption: encryptionSchema.optional(),
  volume: z.object({
    id: idSchema('volume'),
    /** Used in messages. */
    name: z.string(),
    /** Its size limit in units of 2^20 bytes; null: no limit. */
    sizeMb: z.number().int().nullable(),
  }),
};

/** A command line for the shell of the service's image. */
const commandLineSchema = z.string().min(1).max(4_000);

/** What the service does while its volume is copied. */
export const quiesceSchema = z.discriminatedUnion('type', [
  /** It keeps running: files that it writes during the copy may be incomplete in the backup. */
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
  /** Whether to keep a copy on the host. */
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
  /** The service counts as running again once this port of its container accepts a connection. Null: once it keeps running. */
  port: z.number().int().nullable(),
});

/**
 * Tests a backup of a volume: unpacks it into a temporary volume, compares every entry and removes it. The original volume is not needed; it may be
 * deleted.
 */
const volumeDrillSpecSchema = z.object({
  kind: z.literal('volume-drill'),
  projectId: idSchema('project'),
  serviceId: idSchema('service'),
  drillId: idSchema('drill'),
  /** A backup of this service. */
  backup: storedBackupSchema,
});

/** Fills a volume of a service that moves to this host. Files from an earlier time of the service on this host are replaced. */
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
