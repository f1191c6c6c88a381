/** A machine has ports for eight runners, but three test files with up to three runners each run at a time. */
import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 2_000;
/** More than the longest of these files takes. */
const waitMs = 8 * 60_000;

/** Repeats an enrolment until the runners of another test file have released their ports. */
export async function whenPortsAreFree<Result>(enrol: () => Promise<Result>): Promise<Result> {
  const endsAt = performance.now() + waitMs;
  for (;;) {
    try {
      return await enrol();
    } catch (error) {
      const text = `${error} ${(error as { stdout?: string }).stdout} ${(error as { stderr?: string }).stderr}`;
      if (!text.includes('No free block of') || performance.now() > endsAt) throw error;
      await delay(pollMs);
    }
  }
}
