import { ApiError } from '../domain/errors.ts';
import { repeatsId, violates } from '../store/sql/store-failure.ts';

/** Limit for requests that choose the same name at the same time; the last of n such requests can lose n - 1 times. */
const attemptsMax = 25;

/** Runs `attempt`, which reads the taken names and then writes; repeats it if another request took the name in between. */
export async function retryNameClash<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let left = attemptsMax; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      // A second row with the same id is not a name clash: a repeat with the same `Idempotency-Key` created the first (answer-once.ts).
      if (repeatsId(error) || !violates(error, 'UNIQUE')) throw error;
      if (left > 1) continue;
      throw new ApiError('conflict', 'Too many requests use the same name at this moment: try again.', {
        cause: error,
      });
    }
  }
}
