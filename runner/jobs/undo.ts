/** Steps that undo the effects of an attempt: registered before the effect, run in reverse, each safe to run twice. */
import type { JobLog } from '../job-log/job-log.ts';

export class Undo {
  readonly #steps: { what: string; run: () => Promise<void> }[] = [];

  /** Call this before the effect. @param run must also work if the effect never happened */
  register(what: string, run: () => Promise<void>): void {
    this.#steps.push({ what, run });
  }

  /**
   * Runs all steps, the last registered first. A failed step is logged and hides neither the others nor the first error.
   * @returns true if all of them succeeded
   */
  async run(log: JobLog): Promise<boolean> {
    let complete = true;
    for (const { what, run } of this.#steps.splice(0).reverse()) {
      try {
        await run();
      } catch (error) {
        complete = false;
        log.line(
          'system',
          `Clean-up "${what}" failed: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    }
    return complete;
  }
}
