/** How many errors end the process. What they do to jobs is tried in `uncaught-errors.process.test.ts`. */
import { expect, onTestFinished, test } from 'vitest';
import { inJob } from '../../runner/scheduling/job-scope.ts';
import { catchErrors } from '../../runner/uncaught-errors.ts';
import { manualClock } from '../support/runner/manual-clock.ts';
import { silentLogger } from '../support/runner/silent-logger.ts';

/** Errors of jobs reach the handler of the runner, and not that of the test. */
function scene() {
  const events = ['uncaughtException', 'unhandledRejection'] as const;
  const before = events.map((event) => process.listeners(event as 'uncaughtException'));
  const exits: number[] = [];
  const clock = manualClock();
  catchErrors(silentLogger, (code) => void exits.push(code), clock).running({
    finishJobs: async () => {},
    stop: async () => {},
  });
  const [caught] = events.map((event, index) => {
    const added = process
      .listeners(event as 'uncaughtException')
      .find((one) => !before[index]?.includes(one)) as NodeJS.UncaughtExceptionListener;
    process.removeListener(event, added);
    return added;
  });
  const failed: unknown[] = [];
  const job = { fail: (error: unknown) => failed.push(error) > 0 };
  onTestFinished(() => void expect(process.listenerCount('uncaughtException')).toBe(before[0]?.length));
  const throwInJob = () => inJob(job, () => caught?.(new Error('broken'), 'uncaughtException'));
  return { clock, exits, failed, throwInJob };
}

test('errors of jobs end their jobs only, however many there are over the life of the process', async () => {
  const { clock, exits, failed, throwInJob } = scene();
  for (let error = 0; error < 100; error++) {
    throwInJob();
    await clock.advance(10_000);
  }
  expect([failed.length, exits]).toEqual([100, []]);
});

test('errors that repeat faster than twenty in a minute end the process', () => {
  const { exits, failed, throwInJob } = scene();
  for (let error = 0; error < 21; error++) throwInJob();
  expect([failed.length, exits]).toEqual([20, [1]]);
});
