import { ApiError } from '../domain/errors.ts';
import { repeatsId, violates } from '../store/store-failure.ts';

/** Requests that make the same name at the same moment; of n of them the last may lose n - 1 times. */
const attemptsMax = 25;

/** Runs `attempt`, which reads what is taken and then writes; once more when another request took it in between. */
export async function untilUnique<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let left = attemptsMax; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      // A second row of one id is no clash of names: a repeat by the same `Idempotency-Key` has made the first (answer-once.ts).
      if (repeatsId(error) || !violates(error, 'UNIQUE')) throw error;
      if (left > 1) continue;
      throw new ApiError('conflict', 'Too many requests make the same name at this moment: try again.', {
        cause: error,
      });
    }
  }
}
