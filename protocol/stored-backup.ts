/** A backup as a job reads it. */
import { z } from 'zod';
import { idSchema } from './ids.ts';

export const storedBackupSchema = z.object({
  id: idSchema('backup'),
  /** The service whose data it contains; it can be restored into another service with the same engine. */
  serviceId: idSchema('service'),
  sizeBytes: z.number().int(),
  checksum: z.string(),
  /** Counts at the time of the backup; a restore must get the same ones. */
  tables: z.number().int(),
  rows: z.number().int(),
  localPath: z.string().nullable(),
  remoteKey: z.string().nullable(),
  /** The key with which its file is encrypted; the identity is among the job's secrets. Absent: it is not encrypted. */
  encryptedWith: idSchema('backupKey').optional(),
});

export type StoredBackup = z.infer<typeof storedBackupSchema>;
