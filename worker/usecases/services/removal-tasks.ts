import type { NewHostTask } from '../../store/removal-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** One row per service and custom domain. */
export interface RemovedService {
  id: string;
  projectId: string;
  kind: 'git' | 'image' | 'database';
  runnerId: string;
  nextRunnerId: string | null;
  hostPort: number;
  generatedHostname: string | null;
  domain: string | null;
}

/** One removal per service on its current host, and one on a planned host, where a deployment may just have started. */
export function removalTasks(rows: readonly RemovedService[], newId: Dependencies['newId']): NewHostTask[] {
  const services = new Map(rows.map((row) => [row.id, row]));
  return [...services.values()].flatMap((service) => {
    const { id: serviceId, projectId, hostPort, generatedHostname } = service;
    const hosts = [service.runnerId, ...(service.nextRunnerId === null ? [] : [service.nextRunnerId])];
    const domains = rows.flatMap(({ id, domain }) => (id === serviceId && domain !== null ? [domain] : []));
    const hostnames = [...(generatedHostname === null ? [] : [generatedHostname]), ...domains];
    return hosts.map(
      (runnerId): NewHostTask => ({
        id: newId('hostTask'),
        runnerId,
        task: { kind: 'remove-service', serviceId, projectId, hostnames, hostPort },
      }),
    );
  });
}

/** How long a deleted database's data stays on its host, in case the deletion was a mistake. */
const volumesKeptMs = 24 * 3_600_000;

/** The later removal of the data of databases, and a sentence about it, empty if there are none. @param at time of the deletion */
export function volumeRemovals(
  rows: readonly RemovedService[],
  newId: Dependencies['newId'],
  at: number,
): { tasks: NewHostTask[]; sentence: string } {
  const dueAt = at + volumesKeptMs;
  const databases = new Map(rows.flatMap((row) => (row.kind === 'database' ? [[row.id, row] as const] : [])));
  const tasks = Array.from(
    databases.values(),
    ({ id: serviceId, projectId, runnerId }): NewHostTask => ({
      id: newId('hostTask'),
      runnerId,
      task: { kind: 'remove-volumes', serviceId, projectId },
      dueAt,
    }),
  );
  const when = new Date(dueAt).toISOString();
  return {
    tasks,
    sentence:
      tasks.length === 0
        ? ''
        : ` Its data volumes and its backups on the host will be deleted at ${when}, and the copies of backups in the bucket soon after.`,
  };
}
