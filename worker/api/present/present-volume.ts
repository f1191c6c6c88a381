/** A volume as the API shows it. */
import { z } from 'zod';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import type { VolumeRow } from '../../store/services/volume-store.ts';

export const volumeSchema = z.strictObject({
  id: z.string(),
  serviceId: z.string(),
  name: z.string(),
  mountPath: z.string(),
  sizeMb: z.int().nullable(),
  usedMb: z.int().nullable(),
  createdAt: timestampSchema,
  updatedAt: timestampSchema,
});

export function presentVolume({ createdAt, updatedAt, ...shown }: VolumeRow): z.infer<typeof volumeSchema> {
  return { ...shown, createdAt: timestamp(createdAt), updatedAt: timestamp(updatedAt) };
}
