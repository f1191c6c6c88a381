/** A new container must start and stay up before it goes live; otherwise the log says why. */
import { setTimeout as delay } from 'node:timers/promises';
import { JobFailure } from '../../base/job-failure.ts';
import { inspectContainer } from '../../docker/containers.ts';
import { listeningPorts } from '../../docker/listening-ports.ts';
import { type HealthOutcome, waitUntilHealthy } from '../../proxy/health-check.ts';
import type { Attempt } from '../parts/attempt.ts';
import { refuseExited, showLastLines } from '../parts/refuse-exited.ts';
import { checkImageHealth } from './check-image-health.ts';

/** A worker has no port to probe: it counts as healthy when it has run for this long. */
const workerStayUpMs = 5_000;
/** Catches a server that answers and dies at once. The permission and the alias take about as long, so this costs little. */
const serverStayUpMs = 250;
const workerPollMs = 250;

/** Called right before and right after the traffic moves. @throws JobFailure `health_failed` when the container has not stayed up */
export type StayedUp = () => Promise<void>;

/**
 * Waits for the first good answer (for workers: until it has stayed up).
 * @throws JobFailure `health_failed` with a sentence; then the container's last lines are in the log
 */
export async function checkHealth(
  attempt: Attempt,
  container: { id: string; address: string },
): Promise<StayedUp> {
  const { spec, context, parts } = attempt;
  const { healthTimeoutMs } = parts.limits;
  const endsAt = performance.now() + healthTimeoutMs;
  const stillUp = () => refuseExited(attempt, container.id);
  if (spec.runtimeMode === 'worker') {
    await stayUp(stillUp, workerStayUpMs, context.signal);
    await checkImageHealth(attempt, container.id, stillUp, endsAt);
    return stillUp;
  }
  const target = {
    address: container.address,
    port: spec.internalPort,
    path: spec.healthCheckPath,
    hostname: spec.hostnames[0] ?? 'localhost',
  };
  const outcome = await waitUntilHealthy(target, stillUp, context.signal, healthTimeoutMs);
  if (!outcome.healthy) {
    await showLastLines(attempt, container.id);
    throw new JobFailure('health_failed', await unhealthySentence(attempt, container.id, outcome));
  }
  await checkImageHealth(attempt, container.id, stillUp, endsAt);
  const stableAt = performance.now() + serverStayUpMs;
  return async () => {
    await delay(Math.max(0, stableAt - performance.now()));
    await stillUp();
  };
}

async function stayUp(stillUp: () => Promise<void>, forMs: number, signal: AbortSignal): Promise<void> {
  const endsAt = performance.now() + forMs;
  for (;;) {
    signal.throwIfAborted();
    await stillUp();
    if (performance.now() >= endsAt) return;
    await delay(workerPollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Describes which ports are open: a wrong port is the most common reason. */
async function unhealthySentence(
  { parts, spec }: Attempt,
  id: string,
  outcome: Extract<HealthOutcome, { healthy: false }>,
): Promise<string> {
  if (outcome.reason === 'wrong-answer') {
    return `GET ${spec.healthCheckPath} should answer 2xx or 3xx, but there was: ${outcome.detail}.`;
  }
  const expected = `Nothing answers on port ${spec.internalPort}, the service's internalPort`;
  const { pid } = await inspectContainer(parts.docker, id);
  const ports = await listeningPorts(pid);
  if (!ports) return `${expected}.`;
  if (ports.loopbackOnly.includes(spec.internalPort)) {
    return `${expected}: the app listens there on 127.0.0.1 only; make it listen on 0.0.0.0.`;
  }
  if (ports.open.length > 0)
    return `${expected}: the app listens on ${ports.open.join(', ')}. Change internalPort, or make the app listen on PORT.`;
  return `${expected}: the app listens on no port.`;
}
