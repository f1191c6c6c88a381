import type { NewHostTask } from '../store/removal-store.ts';
import type { Dependencies } from './dependencies.ts';

/** One service, or one of its custom domains, a row. */
export interface RemovedService {
  id: string;
  projectId: string;
  runnerId: string;
  hostPort: number;
  generatedHostname: string | null;
  domain: string | null;
}

/** One removal a service, for the host it is on. */
export function removalTasks(rows: readonly RemovedService[], newId: Dependencies['newId']): NewHostTask[] {
  const services = new Map(rows.map((row) => [row.id, row]));
  return [...services.values()].map(({ id: serviceId, projectId, runnerId, hostPort, generatedHostname }) => {
    const domains = rows.flatMap(({ id, domain }) => (id === serviceId && domain !== null ? [domain] : []));
    const hostnames = [...(generatedHostname === null ? [] : [generatedHostname]), ...domains];
    return {
      id: newId('hostTask'),
      runnerId,
      task: { kind: 'remove-service', serviceId, projectId, hostnames, hostPort },
    };
  });
}
