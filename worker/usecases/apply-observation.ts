import type { RunnerFrameOf } from '../../protocol/frames.ts';
import {
  listObservations,
  type ServiceObservation,
  writeObservations,
} from '../store/service-observation-store.ts';
import type { Dependencies } from './dependencies.ts';

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
    const to = from && observe(from, service);
    return from && to && (from.status !== to.status || from.reachable !== to.reachable) ? [{ from, to }] : [];
  });
  await writeObservations(db, changes);
}

/** Only a service that is to be up can crash; while a deployment is at work, or after it failed, that is what the status says. */
function observe(service: ServiceObservation, observed: ObservedService): ServiceObservation {
  const reachable = observed.reachable;
  if (service.status === 'active' && observed.state === 'crashed')
    return { ...service, status: 'crashed', reachable };
  if (service.status === 'crashed' && observed.state === 'running')
    return { ...service, status: 'active', reachable };
  return { ...service, reachable };
}
