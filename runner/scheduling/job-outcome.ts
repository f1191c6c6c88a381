/** Converts the end of a job to the reported result. */
import type { FailureCode, JobFacts, JobResult } from '../../protocol/job-report.ts';
import { JobFailure } from '../base/job-failure.ts';
import { messageOf } from '../base/logger.ts';
import { JobStopped } from '../jobs/job.ts';

const internalSentence =
  'The runner had an internal error; its log on the host has the details. Deploy again, and report the error if it happens again.';

/**
 * The result of a job that threw.
 * @param stopped the reason of its aborted signal; a stopped job counts as stopped, whatever it throws
 */
export function resultOfError(error: unknown, stopped: JobStopped | undefined, facts: JobFacts): JobResult {
  const stop = stopped ?? (error instanceof JobStopped ? error : undefined);
  if (stop) return resultOfStop(stop, facts);
  if (error instanceof JobFailure) return failed(error.code, messageOf(error), facts);
  return failed('internal', internalSentence, facts);
}

export const secretsUnopened = (): JobResult =>
  failed(
    'internal',
    'The host could not open the secrets of this job: they were encrypted for another key. Enrol the host again.',
    {},
  );

export const specUnreadable = (facts: JobFacts): JobResult =>
  failed(
    'runner_restarted',
    'The runner was updated during the job and can no longer read it; start the job again.',
    facts,
  );

/** True if the runner's own log should contain the stack. */
export const isUnexpected = (error: unknown) => !(error instanceof JobFailure || error instanceof JobStopped);

/** The last line of a job's log. @param isPreparation the log of the deployment continues when its files have arrived */
export function closingLine(result: JobResult, isPreparation: boolean): string {
  switch (result.outcome) {
    case 'succeeded':
      return isPreparation
        ? 'The image is ready. The service stops on its old host now, and its files follow.'
        : 'Done.';
    case 'aborted':
      return 'Aborted.';
    case 'failed':
      return `Failed (${result.code}): ${result.message}`;
  }
}

function failed(code: FailureCode, message: string, facts: JobFacts): JobResult {
  return { outcome: 'failed', facts, code, message };
}

function resultOfStop({ reason }: JobStopped, facts: JobFacts): JobResult {
  switch (reason) {
    case 'aborted':
    case 'removed':
      return { outcome: 'aborted', facts };
    case 'deadline':
      return failed('deadline', 'The job exceeded its time limit and was stopped.', facts);
    case 'error':
      return failed('internal', internalSentence, facts);
    case 'shutdown':
      return failed('runner_restarted', 'The runner was stopped during the job; start it again.', facts);
  }
}
