const turns = new Map<string, Promise<unknown>>();

/** Runs the tasks of one key one after the other. */
export function inTurn<T>(key: string, task: () => Promise<T>): Promise<T> {
  const result = (turns.get(key) ?? Promise.resolve()).then(task, task);
  turns.set(key, result);
  const forget = () => {
    if (turns.get(key) === result) turns.delete(key);
  };
  result.then(forget, forget);
  return result;
}
