/** Checks whether a target answers: TCP first, then HTTP if there is a path. */
import { setTimeout as delay } from 'node:timers/promises';
import { request } from '../base/node-http.ts';
import { portAnswers } from '../base/port-answers.ts';

export interface HealthTarget {
  address: string;
  port: number;
  /** The path that must answer 2xx or 3xx; `null` if an open port is enough. */
  path: string | null;
  /** Host header of the request. */
  hostname: string;
  /** The scheme of visitors, which the app gets as X-Forwarded-Proto. */
  scheme: 'http' | 'https';
  /** `h2c`: it speaks HTTP/2 without TLS. Absent: HTTP/1.1. */
  protocol?: 'http1' | 'h2c' | undefined;
}

export type HealthOutcome =
  | { healthy: true }
  /** `port-closed`: nothing listens; `wrong-answer`: `detail` is the answer instead of 2xx or 3xx. */
  | { healthy: false; reason: 'port-closed' | 'wrong-answer'; detail: string };

export interface HealthTiming {
  /** The total time limit. */
  limitMs: number;
  /** The interval of tries; absent: short at first, then longer. */
  intervalMs?: number | undefined;
  /** The time limit of one try. */
  timeoutMs?: number | undefined;
}

/** Short at first: most containers answer within the first second, and the deployment waits for it. */
const firstPollMs = 20;
const pollMs = 200;
/** Time limit of one try; a slow first answer (a cold framework) is not a failure yet. */
export const timeoutDefaultMs = 5_000;

/**
 * Retries until the target is healthy or the time is over.
 * @param stillUp called before each try; throws to end the wait (the container has died)
 * @throws the errors of `stillUp`; the signal's reason
 */
export async function waitUntilHealthy(
  target: HealthTarget,
  stillUp: () => Promise<void>,
  signal: AbortSignal,
  { limitMs, intervalMs, timeoutMs = timeoutDefaultMs }: HealthTiming,
): Promise<HealthOutcome> {
  const endsAt = performance.now() + limitMs;
  for (let waitMs = firstPollMs; ; waitMs = Math.min(waitMs * 1.1, pollMs)) {
    signal.throwIfAborted();
    await stillUp();
    const outcome = await checkOnce(target, timeoutMs);
    if (outcome.healthy || performance.now() >= endsAt) return outcome;
    await delay(intervalMs ?? waitMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Tries once. Never rejects. */
export async function checkOnce(target: HealthTarget, timeoutMs: number): Promise<HealthOutcome> {
  if (!(await portAnswers(target.address, target.port, timeoutMs))) {
    return { healthy: false, reason: 'port-closed', detail: `port ${target.port} does not answer` };
  }
  if (target.path === null) return { healthy: true };
  const path = target.path.startsWith('/') ? target.path : `/${target.path}`;
  const ask = target.protocol === 'h2c' ? h2cStatus : httpStatus;
  const answer = await ask(target, path, timeoutMs);
  if (typeof answer === 'number' && answer >= 200 && answer < 400) return { healthy: true };
  return {
    healthy: false,
    reason: 'wrong-answer',
    detail: typeof answer === 'number' ? `status ${answer}` : answer,
  };
}

/** What the proxy sends with a visitor's request: an app that requires HTTPS, or one of its own names, answers it. */
const visitorsHeaders = ({ hostname, scheme }: HealthTarget) => ({
  'user-agent': 'longshore-health-check',
  'x-forwarded-for': '127.0.0.1',
  'x-forwarded-host': hostname,
  'x-forwarded-proto': scheme,
});

/** The status of one GET by HTTP/2 without TLS, or the reason why there was none. */
async function h2cStatus(target: HealthTarget, path: string, timeoutMs: number): Promise<number | string> {
  // Loaded on demand: most hosts have no such app.
  const { connect } = await import('node:http2');
  const session = connect(`http://${target.address}:${target.port}`);
  const answer = new Promise<number | string>((resolve) => {
    const fail = (error: Error) => resolve(error.message);
    session.once('error', fail).once('close', () => resolve('the connection was closed'));
    const asked = session.request({
      ':path': path,
      ':authority': target.hostname,
      ...visitorsHeaders(target),
    });
    asked.once('error', fail).once('response', (headers) => resolve(headers[':status'] ?? 'no status'));
    asked.setTimeout(timeoutMs, () => resolve('no answer in time'));
  });
  try {
    return await answer;
  } finally {
    session.destroy();
  }
}

/** The status of one GET, or the reason why there was none. A redirect counts as an answer and is not followed. */
function httpStatus(target: HealthTarget, path: string, timeoutMs: number): Promise<number | string> {
  return new Promise((resolve) => {
    try {
      const ask = request({
        host: target.address,
        port: target.port,
        path,
        headers: { host: target.hostname, ...visitorsHeaders(target) },
        agent: false,
        signal: AbortSignal.timeout(timeoutMs),
      });
      ask.once('response', (response) => {
        response.destroy();
        resolve(response.statusCode ?? 'no status');
      });
      ask.once('error', (error) =>
        resolve(error.name === 'TimeoutError' ? 'no answer in time' : error.message),
      );
      ask.end();
    } catch (error) {
      resolve(error instanceof Error ? error.message : String(error));
    }
  });
}
