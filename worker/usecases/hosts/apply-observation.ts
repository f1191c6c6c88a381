import type { RunnerFrameOf } from '../../../protocol/frames.ts';
import {
  listObservations,
  type ServiceObservation,
  writeObservations,
} from '../../store/service-observation-store.ts';
import type { Dependencies } from '../dependencies.ts';

type ObservedService = RunnerFrameOf<'observed'>['services'][number];

/** Takes over what a host sees of its services; writes only what differs. Services of other hosts are passed over. */
export async function applyObservation(
  { db }: Pick<Dependencies, 'db'>,
  runnerId: string,
  observed: readonly ObservedService[],
): Promise<void> {
  const known = new Map((await listObservations(db, runnerId)).map((service) => [service.id, service]));
  const changes = observed.flatMap((service) => {
    const from = known.get(service.serviceId);
    if (!from) return [];
    const to = observe(from, service);
    const isSame =
      from.status === to.status &&
      from.reachable === to.reachable &&
      from.crashed === to.crashed &&
      JSON.stringify(from.trouble) === JSON.stringify(to.trouble);
    return isSame ? [] : [{ from, to }];
  });
  await writeObservations(db, changes);
}

/** Only a service that is to be up shows a crash; while a deployment is at work, or after it failed, that is what the status says. */
function observe(
  service: ServiceObservation,
  { state, reachable, trouble: seen }: ObservedService,
): ServiceObservation {
  const crashed = state === 'stopped' ? service.crashed : state === 'crashed';
  const trouble = seen ?? (state === 'running' ? null : service.trouble);
  const isUp = service.status === 'active' || service.status === 'crashed';
  const status = isUp ? (crashed ? 'crashed' : 'active') : service.status;
  return { ...service, status, reachable, crashed, trouble };
}
