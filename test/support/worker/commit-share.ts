/** test/support/commit-share.ts, inside workerd. */
import { env } from 'cloudflare:workers';

/** Every n-th of the values, chosen by the commit; all of them with `TEST_EVERYTHING=1`. */
export function commitShare<Value>(values: readonly Value[], shares: number, place: number): Value[] {
  return values.filter((_, index) => env.TEST_EVERYTHING || (index + place + env.TEST_COMMIT) % shares === 0);
}
