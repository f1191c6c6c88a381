/** Waits for results of real sockets and processes; never for time to pass. */
import { setTimeout as pause } from 'node:timers/promises';

/** A machine that runs ten other things at once is slow, not broken. */
const usualLimitMs = 25_000;

/** @param look returns undefined or false until the condition is true */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  limitMs = usualLimitMs,
): Promise<NonNullable<Exclude<T, false>>> {
  const endsAt = performance.now() + limitMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== null && seen !== false) return seen as NonNullable<Exclude<T, false>>;
    if (performance.now() > endsAt) throw new Error(`never seen: ${what}`);
    await pause(5);
  }
}
