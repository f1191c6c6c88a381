/** What volumes hold, measured when it is asked for. */
import { z } from 'zod';

/** Answer to the request `measure-volumes`: each volume that was asked for. */
export const volumeSizesSchema = z.object({
  volumes: z.array(
    z.object({
      id: z.string(),
      /** In units of 2^20 bytes, rounded up; null: it has too many files to count in time. */
      usedMb: z.number().int().nonnegative().nullable(),
    }),
  ),
});
export type VolumeSizes = z.infer<typeof volumeSizesSchema>;
