/** Workers take jobs from queues, and two versions at once could do a job twice. So the old one stops before the new one starts. */
import { stableContainerName } from '../../../protocol/names.ts';
import { listServiceContainers, startContainer, stopContainer } from '../../docker/containers.ts';
import type { Attempt } from '../parts/attempt.ts';

/** The variable that allows a service's workers to overlap. */
const overlapVariable = 'WORKER_OVERLAP';

/** Stops the running worker, and restarts it if this attempt fails. */
export async function pauseWorker({ parts, spec, secrets, context, undo }: Attempt): Promise<void> {
  if (secrets.env[overlapVariable] === 'true') return;
  const containers = await listServiceContainers(parts.docker, spec.serviceId);
  const old = containers.find(({ name, running }) => running && name === stableContainerName(spec.serviceId));
  if (!old) return;
  context.log.line(
    'system',
    `Stopping the old worker before the new one starts (${overlapVariable}=true lets both run)`,
  );
  undo.register('start the old worker again', () => startContainer(parts.docker, old.id));
  await stopContainer(parts.docker, old.id);
}
