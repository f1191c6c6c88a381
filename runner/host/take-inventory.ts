import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostInventory, InventoryService } from '../../protocol/host-request.ts';
import { labels } from '../../protocol/names.ts';
import type { DockerHost } from '../docker/client.ts';
import { listContainers } from '../docker/containers.ts';
import { instanceVolumes } from '../docker/volumes.ts';
import type { Traffic } from '../proxy/traffic.ts';
import { completeBackups } from '../storage/backup-files.ts';

interface InventoryParts {
  docker: DockerHost;
  traffic: Pick<Traffic, 'all'>;
  dataDirectory: string;
}

/**
 * Lists all objects of this instance for services: routes, containers, data volumes and backup files. Changes nothing.
 * @throws DockerError
 */
export async function takeInventory({
  docker,
  traffic,
  dataDirectory,
}: InventoryParts): Promise<HostInventory> {
  const found = new Map<string, InventoryService>();
  const of = (serviceId: string) => {
    const known = found.get(serviceId) ?? empty(serviceId);
    found.set(serviceId, known);
    return known;
  };
  for (const container of await listContainers(docker, { [labels.role]: 'app' })) {
    const service = of(container.labels[labels.service] ?? '');
    service.projectId ??= container.labels[labels.project] || null;
    service.isRunning ||= container.running;
    // The route below overwrites this: while two versions run, the route has the one that serves.
    service.deploymentId = container.labels[labels.deployment] || null;
  }
  for (const volume of await instanceVolumes(docker)) {
    const service = of(volume.labels[labels.service] ?? '');
    service.projectId ??= volume.labels[labels.project] || null;
    service.volumes.push(volume.name);
  }
  for (const { serviceId, deploymentId, hostPort, hostnames, target } of traffic.all()) {
    const service = of(serviceId);
    Object.assign(service, { deploymentId, hostPort, hostnames });
    if (target.type === 'site') service.isRunning = true;
  }
  for (const serviceId of await readdir(join(dataDirectory, 'backups')).catch(() => [])) {
    const backups = await completeBackups(dataDirectory, serviceId);
    if (backups.length > 0) of(serviceId).backups = backups;
  }
  found.delete('');
  return { services: [...found.values()] };
}

const empty = (serviceId: string): InventoryService => ({
  serviceId,
  projectId: null,
  deploymentId: null,
  isRunning: false,
  hostPort: 0,
  hostnames: [],
  volumes: [],
  backups: [],
});
