/**
 * Services whose versions must not overlap: two workers could do a job of a queue twice, and two versions could write to the same volume.
 * The live version stops before the new one starts, and starts again if that one fails.
 */

import { drainSecondsOf } from '../../../protocol/container-settings.ts';
import { labels } from '../../../protocol/names.ts';
import { listServiceContainers, stopContainer } from '../../docker/containers.ts';
import type { Attempt } from '../parts/attempt.ts';
import { holdTraffic, logVainWait } from '../parts/hold-traffic.ts';
import { startLive } from '../parts/start-live.ts';

/** The variable that allows a worker's versions to overlap; a service with volumes ignores it. */
const overlapVariable = 'WORKER_OVERLAP';

/**
 * Registers that the live version starts again if this attempt fails. Must be called before the undo of the new container is registered,
 * because undos run in reverse.
 * @returns a function that stops the other versions of the service; call it directly after the new container is created
 */
export function prepareStop(attempt: Attempt): () => Promise<void> {
  const { parts, spec, context, undo } = attempt;
  const why = reasonOf(attempt);
  if (why === undefined) return async () => {};
  undo.register('start the old version again', () => startLive(parts, spec.serviceId));
  return async () => {
    const containers = await listServiceContainers(parts.docker, spec.serviceId);
    const drainMs = drainSecondsOf(spec.stop) * 1_000;
    if (spec.runtimeMode !== 'worker') await holdTraffic(parts.traffic, spec.serviceId, context.log, drainMs);
    for (const { id, running, restarting, labels: of } of containers) {
      if (!(running || restarting) || of[labels.deployment] === spec.deploymentId) continue;
      context.log.line('system', `Stopping the old version before the new one starts: ${why}`);
      logVainWait(context.log, await stopContainer(parts.docker, id));
    }
  };
}

function reasonOf({ spec, secrets }: Attempt): string | undefined {
  if (spec.volumes?.length) return 'two versions must not write to its volumes.';
  if (spec.runtimeMode !== 'worker' || secrets.env[overlapVariable] === 'true') return undefined;
  return `it is a worker (${overlapVariable}=true lets both run).`;
}
