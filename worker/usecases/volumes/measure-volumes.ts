/** Asks a host for the present size of a service's volumes. The sizes in the rows may be minutes old. */
import { volumeSizesSchema } from '../../../protocol/host-request.ts';
import { safeParseUntrusted } from '../../../protocol/untrusted/safe-parse.ts';
import type { Host } from '../../domain/hosts/placement.ts';
import type { VolumeRow } from '../../store/services/volume-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** The host measures for at most 10 s (runner/host/measure-volumes); the rest is for the network. */
const answerTimeoutMs = 15_000;

/**
 * @param host the service's host
 * @returns megabytes of all volumes together; null if the host is not connected, or can't count all files in time
 */
export async function measureVolumes(
  { hubs }: Pick<Dependencies, 'hubs'>,
  host: Pick<Host, 'id'>,
  serviceId: string,
  volumes: readonly Pick<VolumeRow, 'id'>[],
): Promise<number | null> {
  const asked = { op: 'measure-volumes', serviceId, volumeIds: volumes.map(({ id }) => id) } as const;
  const answer = await hubs.request(host.id, asked, answerTimeoutMs).catch(() => undefined);
  const parsed = safeParseUntrusted(volumeSizesSchema, answer?.ok ? answer.value : undefined);
  if (!parsed.success) return null;
  const sizes = new Map(parsed.data.volumes.map(({ id, usedMb }) => [id, usedMb]));
  return sumOfAll(volumes.map(({ id }) => sizes.get(id) ?? null));
}

/** Null if a size is unknown. */
export function sumOfAll(sizes: readonly (number | null)[]): number | null {
  return sizes.reduce((sum, size) => (sum === null || size === null ? null : sum + size), 0);
}
