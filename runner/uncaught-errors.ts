/** Handles uncaught errors: they end one job, or the process once the jobs have ended (decision 0074). */
import { type Clock, pause, systemClock } from './base/clock.ts';
import type { Logger } from './base/logger.ts';
import type { Daemon } from './daemon.ts';
import { jobOfError } from './scheduling/job-scope.ts';

/** The time for running jobs; those that are still running afterwards are recovered by the next process. */
const jobsEndMs = 30 * 60_000;
/** A repeated fault fills the log and uses the processor: after this many errors in a minute the process ends at once. */
const errorsMax = 20;
const countedMs = 60_000;

/**
 * An error that belongs to a job ends that job only. After any other, the state of the process is unknown: it begins no new jobs, lets
 * running ones end, and exits with 1, so that systemd starts it again.
 * @param exit ends the process
 * @returns `running`, to be called once the daemon runs; until then every error ends the process
 */
export function catchErrors(
  logger: Logger,
  exit: (code: number) => void = (code) => process.exit(code),
  clock: Clock = systemClock,
): { running(daemon: Pick<Daemon, 'finishJobs' | 'stop'>): void } {
  let daemon: Pick<Daemon, 'finishJobs' | 'stop'> | undefined;
  let isEnding = false;
  let times: number[] = [];
  const end = async (event: string, running: Pick<Daemon, 'finishJobs' | 'stop'>) => {
    isEnding = true;
    logger.error(`an ${event} belongs to no job: the runner starts again when its jobs have ended`);
    await Promise.race([running.finishJobs(), pause(clock, jobsEndMs)]);
    await running.stop();
    exit(1);
  };
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.on(event, (error) => {
      const now = clock.elapsed();
      times = [...times.filter((at) => now - at < countedMs), now].slice(-errorsMax - 1);
      const isFew = times.length <= errorsMax;
      if (daemon && isFew && jobOfError()?.fail(error)) return;
      logger.error(`an ${event}`, error);
      if (!daemon || !isFew) {
        logger.error(`ended by an ${event}; the next start recovers the unfinished jobs`);
        return exit(1);
      }
      if (!isEnding) end(event, daemon).catch(() => exit(1));
    });
  }
  return {
    running(started) {
      daemon = started;
    },
  };
}
