/** Waits for a database that accepts no more connections: those of a busy hour are closed within minutes, those of a leak are not. */
import { type Clock, pause, systemClock } from '../../base/clock.ts';
import type { WorkPlace } from '../../engines/archive/archive.ts';
import { ConnectionsFull } from '../../engines/connections-full.ts';

/** The job keeps its place on the host during the wait, so it does not wait for hours. */
const patienceMs = 5 * 60_000;
const pauseMs = 5_000;

/**
 * Repeats the work while the database is full.
 * @param work starts from its beginning each time @throws the work's errors; ConnectionsFull after the last attempt
 */
export async function waitForRoom<Result>(
  { signal, say }: Pick<WorkPlace, 'signal' | 'say'>,
  work: () => Promise<Result>,
  clock: Clock = systemClock,
): Promise<Result> {
  const giveUpAt = clock.elapsed() + patienceMs;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await work();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ConnectionsFull) || clock.elapsed() >= giveUpAt) throw error;
      if (isFirst) say?.(`${error.message} Trying again for ${patienceMs / 60_000} minutes.`);
      await pause(clock, pauseMs, signal);
      signal.throwIfAborted();
    }
  }
}
