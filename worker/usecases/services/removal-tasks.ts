import type { NewHostTask } from '../../store/removal-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** One service, or one of its custom domains, a row. */
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

/** One removal a service, for the host it is on; another where it was about to move: a deployment may just have begun there. */
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

/** How long the data of a deleted database stays on its host: time to notice a mistake. */
const volumesKeptMs = 24 * 3_600_000;

/** The removal of the data of databases, which comes last; and a sentence about it, empty when there is none. @param at of the deletion */
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
        : ` Its data volumes and its backups on the host are removed at ${when}, the copies of backups in the bucket soon after.`,
  };
}
