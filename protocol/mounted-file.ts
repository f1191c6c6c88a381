import { z } from 'zod';

/** A text of the service that its containers see as a read-only file. */
export const mountedFileSchema = z.object({
  /** Absolute path in the container. */
  path: z.string(),
  content: z.string(),
  /** Its content is masked in logs of jobs. */
  secret: z.boolean(),
  /** Permissions, for example 0o444. The user of the container owns it. */
  mode: z.int().min(0).max(0o777),
});

export type MountedFile = z.infer<typeof mountedFileSchema>;
