/** A new container must come up and stay up before it may serve; if not, the log says why. */
import { setTimeout as delay } from 'node:timers/promises';
import { JobFailure } from '../../base/job-failure.ts';
import { inspectContainer } from '../../docker/containers.ts';
import { listeningPorts } from '../../docker/listening-ports.ts';
import { type HealthOutcome, healthTimeoutMs, waitUntilHealthy } from '../../proxy/health-check.ts';
import type { Attempt } from '../parts/attempt.ts';
import { refuseDead, showLastLines } from '../parts/refuse-dead.ts';
import { proveImageHealth } from './prove-image-health.ts';

/** A worker has no port to ask: not ending for this long is its sign of health. */
const workerStayUpMs = 5_000;
/** A server that answers and dies at once is caught by this. The permission and the alias need about as long: it costs little. */
const serverStayUpMs = 250;
const workerPollMs = 250;

/** To be called right before the traffic moves and right after. @throws JobFailure `health_failed` when the container has not stayed up */
export type StayedUp = () => Promise<void>;

/**
 * Waits for the first good answer (workers: until it has stayed up).
 * @throws JobFailure `health_failed` with a sentence; the last lines of the container are in the log then
 */
export async function proveHealth(
  attempt: Attempt,
  container: { id: string; address: string },
): Promise<StayedUp> {
  const { spec, context, parts } = attempt;
  const timeoutMs = parts.healthTimeoutMs ?? healthTimeoutMs;
  const endsAt = performance.now() + timeoutMs;
  const stillUp = () => refuseDead(attempt, container.id);
  if (spec.runtimeMode === 'worker') {
    await stayUp(stillUp, workerStayUpMs, context.signal);
    await proveImageHealth(attempt, container.id, stillUp, endsAt);
    return stillUp;
  }
  const target = {
    address: container.address,
    port: spec.internalPort,
    path: spec.healthCheckPath,
    hostname: spec.hostnames[0] ?? 'localhost',
  };
  const outcome = await waitUntilHealthy(target, stillUp, context.signal, timeoutMs);
  if (!outcome.healthy) {
    await showLastLines(attempt, container.id);
    throw new JobFailure('health_failed', await unhealthySentence(attempt, container.id, outcome));
  }
  await proveImageHealth(attempt, container.id, stillUp, endsAt);
  const provenAt = performance.now() + serverStayUpMs;
  return async () => {
    await delay(Math.max(0, provenAt - performance.now()));
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

/** Says what listens where: a wrong port is the most frequent reason. */
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
    return `${expected}: the app listens there on 127.0.0.1 only; let it listen on 0.0.0.0.`;
  }
  if (ports.open.length > 0)
    return `${expected}: the app listens on ${ports.open.join(', ')}. Change internalPort, or let the app use PORT.`;
  return `${expected}: the app listens on no port.`;
}
