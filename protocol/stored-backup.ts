/** A backup for a job that reads it. */
import { z } from 'zod';
import { idSchema } from './ids.ts';

export const storedBackupSchema = z.object({
  id: idSchema('backup'),
  /** The service whose data it contains; it can be restored into another service with the same engine. */
  serviceId: idSchema('service'),
  sizeBytes: z.number().int(),
  checksum: z.string(),
  /** Counts at the time of the backup; a restore must result in the same counts. */
  tables: z.number().int(),
  rows: z.number().int(),
  localPath: z.string().nullable(),
  remoteKey: z.string().nullable(),
  /** The key with which its file is encrypted; the job's secrets contain the identity. Absent: not encrypted. */
  encryptedWith: idSchema('backupKey').optional(),
});

export type StoredBackup = z.infer<typeof storedBackupSchema>;
