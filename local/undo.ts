/** What has to be taken back when a start fails half-way, and what `stop` does: the same steps, last first. */

export interface Undo {
  /** Registered before the effect it takes back; idempotent. */
  add(name: string, step: () => Promise<void> | void): void;
  /** Runs every step once, last first. A step that fails is told and does not stop the others. */
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
