/** A new version whose image has a HEALTHCHECK must pass it before it serves. */
import { setTimeout as delay } from 'node:timers/promises';
import { JobFailure } from '../../base/job-failure.ts';
import { DockerError } from '../../docker/docker-error.ts';
import { type ImageHealthcheck, imageHealthcheck, runHealthcheck } from '../../docker/image-healthcheck.ts';
import type { Attempt } from '../parts/attempt.ts';

/** Each try starts a program in the container. */
const pollMs = 500;
/** The last try may exceed the total time by this much: if it were cut short, it could not show the problem. */
const lastTryMs = 5_000;

/**
 * Retries until the check succeeds or the time is over; returns at once without a HEALTHCHECK.
 * @param stillUp called before each try; throws to end the wait
 * @param endsAt in the time of `performance.now()`
 * @throws JobFailure `health_failed` with the check's last output
 */
export async function checkImageHealth(
  attempt: Attempt,
  id: string,
  stillUp: () => Promise<void>,
  endsAt: number,
): Promise<void> {
  const { parts, context } = attempt;
  const check = await imageHealthcheck(parts.docker, id);
  if (!check) return;
  for (;;) {
    await stillUp();
    const complaint = await tryOnce(attempt, id, check, endsAt);
    if (complaint === undefined) {
      context.log.line('system', 'The HEALTHCHECK of the image succeeds.');
      return;
    }
    if (performance.now() >= endsAt) {
      await stillUp();
      throw new JobFailure('health_failed', `The HEALTHCHECK of the image does not succeed: ${complaint}.`);
    }
    await delay(pollMs, undefined, { signal: context.signal }).catch(() => context.signal.throwIfAborted());
  }
}

async function tryOnce(
  { parts, context }: Attempt,
  id: string,
  check: ImageHealthcheck,
  endsAt: number,
): Promise<string | undefined> {
  const leftMs = Math.ceil(endsAt - performance.now());
  const timeoutMs = Math.min(check.timeoutMs, Math.max(lastTryMs, leftMs));
  try {
    return await runHealthcheck(parts.docker, id, { ...check, timeoutMs }, context.signal);
  } catch (error) {
    // 409: the container has just ended; the next `stillUp` has a better message. A timeout is a result, too.
    if (error instanceof DockerError) return error.detail;
    throw error;
  }
}
