/** Swaps the live data for the loaded data, once that is permitted. The job waits until one of the two is live and complete. */
import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs } from '../../base/backoff.ts';
import { JobFailure } from '../../base/job-failure.ts';

/** About an hour: enough for a host to restart, and for a database to replay its log. */
const triesMax = 120;
const retryPause = { minMs: 1_000, maxMs: 30_000 };

export interface Swap {
  swap(): Promise<void>;
  /** Finds the live data after an interrupted swap, and completes or undoes the swap. */
  end(): Promise<'swapped' | 'untouched'>;
  /** Writes a line for a user who may be waiting. */
  say(line: string): void;
  /** Waits between two attempts; by default with a timer. */
  pause?: (ms: number) => Promise<unknown>;
}

/** @throws the error of `swap` when the old data is live again; JobFailure `restore_failed` when this can't be determined for an hour */
export async function finishSwap({ swap, end, say, pause = delay }: Swap): Promise<void> {
  try {
    return await swap();
  } catch (error) {
    say(
      `The swap of the data was interrupted (${messageOf(error)}); checking whether the old or the new data is live.`,
    );
    if ((await untilSwapEnded({ end, say, pause })) === 'untouched') throw error;
  }
}

/**
 * Retries until the live data is known: Docker or the database may be unavailable for a while.
 * @throws JobFailure `restore_failed` when this can't be determined for an hour
 */
export async function untilSwapEnded({
  end,
  say,
  pause = delay,
}: Omit<Swap, 'swap'>): Promise<'swapped' | 'untouched'> {
  for (let tries = 1; ; tries++) {
    try {
      return await end();
    } catch (error) {
      if (tries === triesMax) throw unknownEnd(error);
      say(`The database does not answer queries yet (${messageOf(error)}).`);
      await pause(backoffMs(tries - 1, retryPause, 1));
    }
  }
}

function unknownEnd(cause: unknown): JobFailure {
  return new JobFailure(
    'restore_failed',
    'The swap of the data was interrupted, and the database did not answer for an hour, so it is unknown whether the old or the new data is live. Both are still on the host.',
    { cause },
  );
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
