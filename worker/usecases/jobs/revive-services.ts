/** Starts services again that should run but have no container on their host: from the stored image, like a restart. */
import { listMissing, type MissingService } from '../../store/services/service-observation-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { enqueue } from '../deployments/queue-deployment.ts';

type Needs = Pick<Dependencies, 'db' | 'hubs' | 'now' | 'newId' | 'initiator'>;

/** Pauses before the first attempt, the second and so on. After the last one the service is not started again: its page shows why. */
const pausesMs = [0, 1, 2, 5, 15, 30].map((minutes) => minutes * 60_000);
const servicesPerRun = 100;

/** @returns number of started services */
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
