/** Finishes the job of a previous process: with the result of its kind's `recover`, or as failed by the restart. */
import type { JobResult } from '../../protocol/job-report.ts';
import type { JobSpec } from '../../protocol/job-spec.ts';
import { backoffMs } from '../base/backoff.ts';
import { type Clock, pause } from '../base/clock.ts';
import { JobFailure } from '../base/job-failure.ts';
import type { Logger } from '../base/logger.ts';
import { type JobContext, type JobRegistry, jobFor } from '../jobs/job.ts';

/** Docker may start later than the runner after a reboot: this is about two minutes of retries. */
const triesMax = 8;
const retryPause = { minMs: 1_000, maxMs: 30_000 };

export interface RecoveryParts {
  jobs: JobRegistry;
  clock: Clock;
  logger: Logger;
}

/** @throws JobFailure; the signal's reason */
export async function recoverJob(
  { jobs, clock, logger }: RecoveryParts,
  spec: JobSpec,
  checkpoint: Record<string, unknown>,
  context: JobContext,
): Promise<JobResult> {
  for (let tries = 1; ; tries++) {
    try {
      return await jobFor(jobs, spec).recover(checkpoint, context);
    } catch (error) {
      context.signal.throwIfAborted();
      if (error instanceof JobFailure && error.code !== 'docker_unavailable') throw error;
      logger.warn(`${context.jobId} could not be recovered (try ${tries}): ${String(error)}`);
      if (tries === triesMax) throw restarted(error);
    }
    await pause(clock, backoffMs(tries - 1, retryPause, 1), context.signal);
    context.signal.throwIfAborted();
  }
}

function restarted(cause: unknown): JobFailure {
  return new JobFailure(
    'runner_restarted',
    'The runner was restarted during the job, and its remains could not be cleaned up; start it again.',
    { cause },
  );
}
