/** Runs removals right after their rows were written. Unfinished ones run later, because their rows remain. */
import type { ProxyResult } from '../../../protocol/host-task.ts';
import type { NewHostTask } from '../../store/deletions/removal-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** Maximum wait for a host, which stops containers that get 10 s to exit. */
const taskTimeoutMs = 10_000;
/** Number of tasks for which a request waits. The hub's own pump sends the others. */
const awaitedTasksMax = 30;

/** @returns the last result; `ok: false` with the first reason if a host is offline or failed */
export async function removeFromHosts(
  { hubs }: Pick<Dependencies, 'hubs'>,
  tasks: readonly NewHostTask[],
): Promise<ProxyResult> {
  const results = await Promise.all(
    tasks.slice(0, awaitedTasksMax).map(({ runnerId, id }) => hubs.runTask(runnerId, id, taskTimeoutMs)),
  );
  if (tasks.length > awaitedTasksMax) {
    await Promise.all([...new Set(tasks.map(({ runnerId }) => runnerId))].map((id) => hubs.wake(id)));
  }
  const failed = results.find(({ ok }) => !ok);
  if (failed) return failed;
  return results.at(-1) ?? { ok: true, detail: 'Nothing had to be removed from a host.' };
}
