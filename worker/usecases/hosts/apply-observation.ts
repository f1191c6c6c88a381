import type { RunnerFrameOf } from '../../../protocol/frames.ts';
import {
  listObservations,
  type ServiceObservation,
  writeObservations,
} from '../../store/services/service-observation-store.ts';
import { writeVolumeUse } from '../../store/services/volume-store.ts';
import type { Dependencies } from '../dependencies.ts';

type ObservedService = RunnerFrameOf<'observed'>['services'][number];

/**
 * Applies the service states that a host reports, and writes only changes. Services of other hosts are ignored. A host reports all of its
 * services: one that should run there and is absent counts as missing, and `revive-services` starts it again.
 */
export async function applyObservation(
  { db, newId, now }: Pick<Dependencies, 'db' | 'newId' | 'now'>,
  runnerId: string,
  observed: readonly ObservedService[],
): Promise<void> {
  const known = new Map((await listObservations(db, runnerId)).map((service) => [service.id, service]));
  const seen = observed.flatMap((service) => {
    const from = known.get(service.serviceId);
    return from ? [{ from, to: observe(from, service) }] : [];
  });
  const reported = new Set(observed.map(({ serviceId }) => serviceId));
  const missing = [...known.values()]
    .filter(({ id, isSettled, trouble }) => isSettled && !reported.has(id) && trouble?.cause !== 'missing')
    .map((from) => ({ from, to: missingSince(from, now()) }));
  const changes = [...seen, ...missing].filter(({ from, to }) => {
    const isSame =
      from.status === to.status &&
      from.reachable === to.reachable &&
      from.crashed === to.crashed &&
      from.diskMb === to.diskMb &&
      JSON.stringify(from.trouble) === JSON.stringify(to.trouble) &&
      JSON.stringify(from.sleep) === JSON.stringify(to.sleep);
    return !isSame;
  });
  await writeObservations(db, changes, { newId, at: now() });
  const held = observed.flatMap(({ volumes = [] }) => volumes);
  if (held.length > 0) await writeVolumeUse(db, runnerId, held);
}

/** A service whose container was removed or disconnected from its network, not by Longshore, or whose Docker uses another store. */
function missingSince(service: ServiceObservation, at: number): ServiceObservation {
  const sentence =
    'The host no longer has the container of this service on its network: something other than Longshore removed it. It is started again from its stored image.';
  const crash = { at, exitCode: null, outOfMemory: false };
  const status = service.status === 'active' ? 'crashed' : service.status;
  return {
    ...{ ...service, status, reachable: false, crashed: true },
    trouble: { sentence, cause: 'missing', crash, lastLines: [] },
  };
}

/** Only a service that should be running shows a crash. During a deployment or after a failed one, the status shows that instead. */
function observe(
  service: ServiceObservation,
  { state, reachable, trouble: seen, sleep, diskMb }: ObservedService,
): ServiceObservation {
  const crashed = state === 'stopped' ? service.crashed : state === 'crashed';
  const trouble = seen ?? (state === 'running' ? null : service.trouble);
  const isUp = service.status === 'active' || service.status === 'crashed';
  const status = isUp ? (crashed ? 'crashed' : 'active') : service.status;
  return {
    ...service,
    status,
    reachable,
    crashed,
    trouble,
    sleep: sleep ?? null,
    diskMb: diskMb ?? service.diskMb,
  };
}
