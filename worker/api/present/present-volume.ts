/** A volume as the API shows it. */
import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import type { VolumeRow } from '../../store/services/volume-store.ts';

export const volumeSchema = z.strictObject({
  id: idOf('volume'),
  serviceId: z.string().meta(notes.serviceId),
  name: z.string().meta(notes.name),
  mountPath: z.string().meta(notes.mountPath),
  sizeMb: z.int().nullable().meta(notes.sizeMb),
  usedMb: z
    .int()
    .nullable()
    .meta(note('What it holds in megabytes, as last measured by the host; null: not measured yet.', 310)),
  createdAt: timestampSchema.meta(notes.createdAt),
  updatedAt: timestampSchema.meta(notes.updatedAt),
});

export function presentVolume({ createdAt, updatedAt, ...shown }: VolumeRow): z.infer<typeof volumeSchema> {
  return { ...shown, createdAt: timestamp(createdAt), updatedAt: timestamp(updatedAt) };
}
