/** The last task of each key. */
const lastTasks = new Map<string, Promise<unknown>>();

/** Runs the tasks of one key one after the other. */
export function runSerially<T>(key: string, task: () => Promise<T>): Promise<T> {
  const result = (lastTasks.get(key) ?? Promise.resolve()).then(task, task);
  lastTasks.set(key, result);
  const forget = () => {
    if (lastTasks.get(key) === result) lastTasks.delete(key);
  };
  result.then(forget, forget);
  return result;
}
