import type { Dependencies } from './dependencies.ts';

/** Cron starts the next run after a minute, and all parts of the scheduled work run concurrently. */
const timeMs = 20_000;

/**
 * Repeats a pass of scheduled work while there may be more of it: until a pass reports that it was not full, for 20 s at most. The clock of a
 * Worker moves only with input and output (https://developers.cloudflare.com/workers/reference/security-model/), which each pass has.
 * @param passesMax keeps the calls of a run below the 50 to the internet and the 1,000 to D1 and objects that the free plan allows
 *   (https://developers.cloudflare.com/workers/platform/limits/#subrequests)
 * @param pass returns whether it found and did as much work as one pass can do
 */
export async function repeatPass(
  { now }: Pick<Dependencies, 'now'>,
  passesMax: number,
  pass: () => Promise<boolean>,
): Promise<void> {
  const until = now() + timeMs;
  for (let passes = 1; await pass(); passes++) {
    if (passes >= passesMax || now() >= until) return;
  }
}
