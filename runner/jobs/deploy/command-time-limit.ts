/** The time that a user's command may run. */
import type { RunSpec } from '../../../protocol/job-spec.ts';
import { JobFailure } from '../../base/job-failure.ts';

/** @returns a signal that is aborted when the time is over, counted from now */
export const timeLimitOf = ({ timeLimitSeconds }: RunSpec): AbortSignal =>
  AbortSignal.timeout(timeLimitSeconds * 1000);

export const timeIsOver = ({ timeLimitSeconds }: RunSpec) =>
  new JobFailure(
    'deadline',
    `The command did not end within ${timeLimitSeconds} s and was stopped: set a longer "timeLimitSeconds".`,
  );
