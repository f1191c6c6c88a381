/** To which job an error belongs that nobody caught: its stream, timer or promise was made while that job ran (decision 0074). */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface FailingJob {
  /** @returns whether the error is dealt with: the job ends by it, or has ended before */
  fail(error: unknown): boolean;
}

const scope = new AsyncLocalStorage<FailingJob>();

/** Everything that `work` makes belongs to this job. */
export const inJob = <Result>(job: FailingJob, work: () => Result): Result => scope.run(job, work);

/** The job in which the code runs that asks. In a handler of `uncaughtException`: the one in which the error was thrown. */
export const jobOfError = (): FailingJob | undefined => scope.getStore();
