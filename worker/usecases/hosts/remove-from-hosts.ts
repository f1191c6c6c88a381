/** Carries out removals right after their rows were written. What does not end in time, the hosts do later: the rows stay. */
import type { ProxyResult } from '../../../protocol/host-task.ts';
import type { NewHostTask } from '../../store/removal-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** How long an answer waits for a host: it stops containers, which get 10 s to end by themselves. */
const taskTimeoutMs = 10_000;
/** Tasks a request waits for, so that it stays below the 50 subrequests of the free plan. The others follow by the hub's own pump. */
const awaitedTasksMax = 30;

/** @returns what the proxy shows now; `ok: false` with the first reason when a host is offline or failed. */
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
  return results.at(-1) ?? { ok: true, detail: 'There was nothing on any host.' };
}
