/** A new container must start and stay up before it becomes live; otherwise the log contains the reason. */
import { setTimeout as delay } from 'node:timers/promises';
import { JobFailure } from '../../base/job-failure.ts';
import { type HealthOutcome, type HealthTiming, waitUntilHealthy } from '../../proxy/health-check.ts';
import { visitorsName } from '../../proxy/visitors-name.ts';
import type { Attempt } from '../parts/attempt.ts';
import { refuseExited, showLastLines } from '../parts/refuse-exited.ts';
import { checkImageHealth } from './check-image-health.ts';
import { portsSentence, wrongPortNotice } from './wrong-port.ts';

/** A worker has no port to probe: it counts as healthy when it has run for this long. */
const workerStayUpMs = 5_000;
/** Detects a server that answers and exits at once: it gets no traffic before. The permission and the alias take longer, so this costs nothing. */
const beforeTrafficMs = 120;
/** A server that exits before this time loses the traffic again. The time is counted from its first good answer, like the time before. */
const withTrafficMs = 300;
const workerPollMs = 250;

/** Watches the new version while the traffic moves. Both methods throw JobFailure `health_failed` if its container has not stayed up. */
export interface StayUp {
  /** Call before the traffic moves. */
  beforeTraffic: () => Promise<void>;
  /** Call after the traffic has moved. */
  withTraffic: () => Promise<void>;
}

/**
 * Waits for the first good answer (for workers: until it has stayed up).
 * @throws JobFailure `health_failed` with a sentence; then the container's last lines are in the log
 */
export async function checkHealth(
  attempt: Attempt,
  container: { id: string; address: string },
): Promise<StayUp> {
  const { spec, context } = attempt;
  const timing = timingOf(attempt);
  const endsAt = performance.now() + timing.limitMs;
  const stillUp = () => refuseExited(attempt, container.id);
  if (spec.runtimeMode === 'worker') {
    await stayUp(stillUp, workerStayUpMs, context.signal);
    await checkImageHealth(attempt, container.id, stillUp, endsAt);
    return { beforeTraffic: stillUp, withTraffic: stillUp };
  }
  const target = {
    address: container.address,
    port: spec.internalPort,
    path: spec.healthCheckPath,
    ...askedAs(spec),
    protocol: spec.container?.protocol,
  };
  const noticeWrongPort = wrongPortNotice(attempt, container.id);
  const beforeTry = async () => {
    await stillUp();
    await noticeWrongPort();
  };
  const outcome = await waitUntilHealthy(target, beforeTry, context.signal, timing);
  if (!outcome.healthy) {
    await showLastLines(attempt, container.id);
    throw new JobFailure('health_failed', await unhealthySentence(attempt, container.id, outcome));
  }
  await checkImageHealth(attempt, container.id, stillUp, endsAt);
  const answeredAt = performance.now();
  const until = (ms: number) => async () => {
    await delay(Math.max(0, answeredAt + ms - performance.now()));
    await stillUp();
  };
  return { beforeTraffic: until(beforeTrafficMs), withTraffic: until(withTrafficMs) };
}

/** The name that visitors use, unless the service has set another one. */
function askedAs({ names, hostnames, health }: Attempt['spec']) {
  const { hostname, scheme } = visitorsName(names, hostnames);
  return { hostname: health?.healthCheckHost ?? hostname, scheme };
}

/** The service's own times, or the runner's. */
function timingOf({ spec, parts }: Attempt): HealthTiming {
  const {
    healthCheckStartPeriodSeconds: start,
    healthCheckIntervalSeconds: interval,
    healthCheckTimeoutSeconds: timeout,
  } = spec.health ?? {};
  return {
    limitMs: start === undefined ? parts.limits.healthTimeoutMs : start * 1_000,
    intervalMs: interval && interval * 1_000,
    timeoutMs: timeout && timeout * 1_000,
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

async function unhealthySentence(
  attempt: Attempt,
  id: string,
  outcome: Extract<HealthOutcome, { healthy: false }>,
): Promise<string> {
  const { healthCheckPath, internalPort } = attempt.spec;
  if (outcome.reason === 'wrong-answer') {
    return `GET ${healthCheckPath} should answer 2xx or 3xx, but there was: ${outcome.detail}.`;
  }
  const waited = `within ${timingOf(attempt).limitMs / 1_000} s (healthCheckStartPeriodSeconds)`;
  const expected = `Nothing answers on port ${internalPort}, the service's internalPort, ${waited}`;
  const ports = await portsSentence(attempt, id);
  return ports ? `${expected}: ${ports}` : `${expected}.`;
}
