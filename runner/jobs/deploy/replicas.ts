/** A new version of several containers. */
import type { Attempt } from '../parts/attempt.ts';
import { checkHealth, type StayUp } from './check-health.ts';
import { type Candidate, startCandidate } from './start-candidate.ts';

export interface Replicas {
  candidates: Candidate[];
  /** The watch over all replicas. */
  stayUp: StayUp;
}

/**
 * Checks the first container, then starts and checks the others in parallel: a broken version costs one container and not all of them. Ends
 * only after the last creation, so that the undo finds all containers.
 * @throws JobFailure `start_failed`, `health_failed`; DockerError
 */
export async function completeReplicas(attempt: Attempt, image: string, first: Candidate): Promise<Replicas> {
  const stayUp = await checkHealth(attempt, first);
  const count = attempt.spec.replicas ?? 1;
  if (count > 1)
    attempt.context.log.line('system', `The first of ${count} replicas is healthy; starting the others.`);
  const others = await Promise.allSettled(
    Array.from({ length: count - 1 }, async (_, index) => {
      const candidate = await startCandidate(attempt, image, index + 1);
      return { candidate, stayUp: await checkHealth(attempt, candidate) };
    }),
  );
  const started = others.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
  return {
    candidates: [first, ...started.map(({ candidate }) => candidate)],
    stayUp: together([stayUp, ...started.map((one) => one.stayUp)]),
  };
}

const together = (all: readonly StayUp[]): StayUp => ({
  beforeTraffic: async () => void (await Promise.all(all.map((one) => one.beforeTraffic()))),
  withTraffic: async () => void (await Promise.all(all.map((one) => one.withTraffic()))),
});
