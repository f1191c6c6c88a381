import type { ServiceKind } from '../../domain/services/service-kind.ts';
import type { NewHostTask } from '../../store/deletions/removal-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** One row per service and custom domain. */
export interface RemovedService {
  id: string;
  projectId: string;
  kind: ServiceKind;
  runnerId: string;
  nextRunnerId: string | null;
  hostPort: number;
  generatedHostname: string | null;
  domain: string | null;
}

/**
 * Stops each service on its current host, which stores its images and data for a restore, and removes it from a planned host, where
 * a deployment may just have started.
 */
export function removalTasks(rows: readonly RemovedService[], newId: Dependencies['newId']): NewHostTask[] {
  const services = new Map(rows.map((row) => [row.id, row]));
  return [...services.values()].flatMap((service) => {
    const { id: serviceId, projectId, hostPort, generatedHostname } = service;
    const domains = rows.flatMap(({ id, domain }) => (id === serviceId && domain !== null ? [domain] : []));
    const hostnames = [...(generatedHostname === null ? [] : [generatedHostname]), ...domains];
    const task = { kind: 'remove-service' as const, serviceId, projectId, hostnames, hostPort };
    const stop: NewHostTask = {
      id: newId('hostTask'),
      runnerId: service.runnerId,
      task: { ...task, keepsImages: true },
    };
    if (service.nextRunnerId === null || service.nextRunnerId === service.runnerId) return [stop];
    return [stop, { id: newId('hostTask'), runnerId: service.nextRunnerId, task }];
  });
}
