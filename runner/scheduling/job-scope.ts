/** Assigns an uncaught error to a job: its stream, timer or promise was created while that job ran (decision 0074). */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface FailingJob {
  /** @returns true if the error is handled: the job ends with it, or has ended before */
  fail(error: unknown): boolean;
}

const scope = new AsyncLocalStorage<FailingJob>();

/** Assigns all streams, timers and promises that `work` creates to this job. */
export const inJob = <Result>(job: FailingJob, work: () => Result): Result => scope.run(job, work);

/** The job in which the calling code runs. In a handler of `uncaughtException`: the job in which the error was thrown. */
export const jobOfError = (): FailingJob | undefined => scope.getStore();
