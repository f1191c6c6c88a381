import type { FiringAlert } from '../../../protocol/metrics/alerts.ts';
import { listOpenOfHost } from '../../store/alerts/alert-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { syncAlerts } from './sync-alerts.ts';

/** Applies the alerts that a host sees. Those about services of other hosts are ignored. */
export async function applyHostAlerts(
  deps: Pick<Dependencies, 'db' | 'newId' | 'now'>,
  runnerId: string,
  firing: readonly FiringAlert[],
): Promise<void> {
  const seen = firing.map(({ rule, serviceId, detail }) => ({
    ...{ rule, serviceId, detail, runnerId },
    subjectId: serviceId ?? runnerId,
  }));
  await syncAlerts(deps, await listOpenOfHost(deps.db, runnerId), seen);
}
