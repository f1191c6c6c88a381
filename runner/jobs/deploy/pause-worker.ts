/** Workers take jobs from queues: two versions at once would do some twice. So the old one ends before the new one starts. */
import { stableContainerName } from '../../../protocol/names.ts';
import { listServiceContainers, startContainer, stopContainer } from '../../docker/containers.ts';
import type { Attempt } from '../parts/attempt.ts';

/** The variable of a service whose workers may overlap. */
export const overlapVariable = 'WORKER_OVERLAP';

/** Stops the worker that runs now, and has it started again if this attempt fails. */
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
