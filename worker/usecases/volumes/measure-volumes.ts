/** Asks a host what volumes of a service hold now. What their rows have may be minutes old. */
import { safeParseUntrusted } from '../../../protocol/untrusted/safe-parse.ts';
import { volumeSizesSchema } from '../../../protocol/volumes/volume-sizes.ts';
import type { Host } from '../../domain/hosts/placement.ts';
import type { VolumeRow } from '../../store/services/volume-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** The host measures for at most 10 s (runner/host/measure-volumes); the rest is transit. */
const answerTimeoutMs = 15_000;

/**
 * @param host where the service is
 * @returns megabytes of all together; null if the host is too old or not connected, or can't count all files in time
 */
export async function measureVolumes(
  { hubs }: Pick<Dependencies, 'hubs'>,
  host: Pick<Host, 'id' | 'facts'>,
  serviceId: string,
  volumes: readonly Pick<VolumeRow, 'id'>[],
): Promise<number | null> {
  if (!host.facts.measuresVolumes) return null;
  const asked = { op: 'measure-volumes', serviceId, volumeIds: volumes.map(({ id }) => id) } as const;
  const answer = await hubs.request(host.id, asked, answerTimeoutMs).catch(() => undefined);
  const parsed = safeParseUntrusted(volumeSizesSchema, answer?.ok ? answer.value : undefined);
  if (!parsed.success) return null;
  const sizes = new Map(parsed.data.volumes.map(({ id, usedMb }) => [id, usedMb]));
  return sumOfAll(volumes.map(({ id }) => sizes.get(id) ?? null));
}

/** null if one is not known. */
export function sumOfAll(sizes: readonly (number | null)[]): number | null {
  return sizes.reduce((sum, size) => (sum === null || size === null ? null : sum + size), 0);
}
