/** Holds requests in the proxy while a version that has to stop is down, so that none is lost. */
import { setTimeout as delay } from 'node:timers/promises';
import type { VainWait } from '../../base/deaf-process.ts';
import { messageOf } from '../../base/logger.ts';
import { portAnswers } from '../../base/port-answers.ts';
import type { DockerHost } from '../../docker/client.ts';
import { type ContainerFacts, inspectContainer } from '../../docker/containers.ts';
import type { JobLog } from '../../job-log/job-log.ts';
import { holdMs } from '../../proxy/edge/held-requests.ts';
import { addressesOf, type Traffic } from '../../proxy/traffic.ts';

/** The time limit for answers to running requests when the version is to stop. Caddy closes idle connections after 1.5 s. */
const answerLimitMs = 3_000;
const startPollMs = 50;
const connectMs = 1_000;

/**
 * Call before the live version of a service stops: from then on new requests wait for at most two minutes, and running ones are answered.
 * Requests are not held if the host's proxy is down; that is no reason to fail.
 * @param limitMs a shorter limit for running requests
 */
export async function holdTraffic(
  traffic: Pick<Traffic, 'current' | 'setHeld' | 'drained'>,
  serviceId: string,
  log: Pick<JobLog, 'line'>,
  limitMs = answerLimitMs,
): Promise<void> {
  const route = traffic.current(serviceId);
  if (route?.target.type !== 'container' || route.target.asleep) return;
  try {
    await traffic.setHeld(route, Date.now() + holdMs);
    const { signal } = new AbortController();
    const addresses = addressesOf(route.target);
    await Promise.all(addresses.map((one) => traffic.drained(one, Math.min(limitMs, answerLimitMs), signal)));
  } catch (error) {
    log.line('system', `Requests do not wait while the service is stopped: ${messageOf(error)}`);
  }
}

/**
 * Call when the live version has started again: requests are sent to it once its port answers, when it has ended, or after two minutes. A
 * switch to another version needs no call.
 * @throws DockerError, ProxyError; requests are sent to it after two minutes in any case
 */
export async function releaseTraffic(
  { docker, traffic }: { docker: DockerHost; traffic: Pick<Traffic, 'current' | 'setHeld'> },
  serviceId: string,
  live: Pick<ContainerFacts, 'id'>,
): Promise<void> {
  const route = traffic.current(serviceId);
  if (route?.target.type !== 'container' || route.target.heldUntil === undefined) return;
  const { heldUntil, address, port } = route.target;
  // The clock may have been set back in between.
  const endsAt = performance.now() + Math.min(heldUntil - Date.now(), holdMs);
  while (performance.now() < endsAt && !(await portAnswers(address, port, connectMs))) {
    const { running, restarting, restarts } = await inspectContainer(docker, live.id);
    if (restarts > 0 || !(running || restarting)) break;
    await delay(startPollMs);
  }
  await traffic.setHeld(route, null);
}

/** Reports the avoidable cost of a stop to the app's owner. @param wait the result of `stopContainer` */
export function logVainWait(log: Pick<JobLog, 'line'>, wait: VainWait | undefined): void {
  if (!wait) return;
  const { seconds, signal } = wait;
  const advice = `Handle ${signal} in the app (close the server, then exit) to make this shorter.`;
  log.line('system', `The app did not end within ${seconds} s of ${signal} and was killed. ${advice}`);
}
