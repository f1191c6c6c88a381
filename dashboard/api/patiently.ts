import { LongshoreError } from '../../client/client.ts';
import { pause } from './pause.ts';

/** How often a part is tried, and the waits in between. */
const tries = 4;
const waitMs = 1_500;

/** Repeats after a lost connection and after a server error. @throws the last error; that of a refusal at once */
export async function patiently(signal: AbortSignal, send: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await send();
      return;
    } catch (error) {
      const isFinal = error instanceof LongshoreError && error.status < 500 && error.status !== 429;
      if (isFinal || signal.aborted || attempt === tries) throw error;
      await pause(waitMs * attempt, signal);
    }
  }
}
