import type { Dependencies } from './dependencies.ts';

/** Cron starts the next run after a minute; all parts of the scheduled work run side by side. */
const timeMs = 20_000;

/**
 * Repeats a pass of scheduled work while there may be more of it: until a pass says that it was not full, for 20 s at most. The clock of a
 * Worker only moves with input and output (https://developers.cloudflare.com/workers/reference/security-model/), of which each pass has some.
 * @param passesMax keeps the calls of a run below the 50 to the internet and the 1,000 to D1 and objects that the free plan allows
 *   (https://developers.cloudflare.com/workers/platform/limits/#subrequests)
 * @param pass returns whether it found as much as it can take, and did it
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
