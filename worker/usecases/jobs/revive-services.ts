/** Starts services again that should run and have no container on their host: from the stored image, as a restart does. */
import { listMissing, type MissingService } from '../../store/services/missing-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { enqueue } from '../deployments/queue-deployment.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'now' | 'newId'>;

/** Before the first try, the second and so on. After the last one the service stays as it is: its page says why the tries failed. */
const pausesMs = [0, 1, 2, 5, 15, 30].map((minutes) => minutes * 60_000);
const servicesPerRun = 100;

/** @returns how many services were started */
export async function reviveServices(deps: Needs): Promise<number> {
  const missing = await listMissing(deps.db, servicesPerRun);
  const due = missing.filter((service) => isDue(service, deps.now()));
  for (const { id, deploymentId } of due)
    await enqueue(deps, { id }, 'restart', { sourceDeploymentId: deploymentId, sourceDigest: null });
  return due.length;
}

function isDue({ failures, failedAt }: MissingService, now: number): boolean {
  const pause = pausesMs[failures];
  return pause !== undefined && now >= (failedAt ?? 0) + pause;
}
