/** Waits for something that real sockets and processes bring about; never for time to pass. */
import { setTimeout as pause } from 'node:timers/promises';

/** A machine that does ten other things at once is slow, not broken. */
const usualLimitMs = 25_000;

/** @param look returns undefined or false as long as it is not so */
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
