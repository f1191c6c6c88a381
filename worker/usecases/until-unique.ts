import { violates } from '../store/store-failure.ts';

/** Requests that make the same name at the same moment; each one that loses reads again what is taken. */
const attemptsMax = 4;

/** Runs `attempt`, which reads what is taken and then writes; once more when another request took it in between. */
export async function untilUnique<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let left = attemptsMax; ; left--) {
    try {
      return await attempt();
    } catch (error) {
      if (left === 1 || !violates(error, 'UNIQUE')) throw error;
    }
  }
}
