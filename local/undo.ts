/** The steps that are undone when a start fails halfway. `stop` runs the same steps. The last one runs first. */

export interface Undo {
  /** Must be called before the effect that the step undoes. The step must be idempotent. */
  add(name: string, step: () => Promise<void> | void): void;
  /** Runs every step once, the last one first. A failed step is reported and does not stop the others. */
  run(): Promise<void>;
}

export function undoStack(onFailure: (name: string, error: unknown) => void): Undo {
  const steps: { name: string; step: () => Promise<void> | void }[] = [];
  return {
    add: (name, step) => void steps.push({ name, step }),
    async run() {
      for (let next = steps.pop(); next !== undefined; next = steps.pop()) {
        try {
          await next.step();
        } catch (error) {
          onFailure(next.name, error);
        }
      }
    },
  };
}
