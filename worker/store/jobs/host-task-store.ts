/**
 * Tasks for hosts: removals, which outlive the removed rows, and changes of names. They are inserted in the batch that deletes or
 * changes those rows (removal-store, service-names-store).
 */
import { and, asc, eq, lte, sql } from 'drizzle-orm';
import type { HostTask, ProxyResult } from '../../../protocol/host-task.ts';
import { hostTasks } from '../schema/runners.ts';
import type { Database } from '../sql/database.ts';

export type HostTaskRow = typeof hostTasks.$inferSelect;

export async function findHostTask(
  db: Database,
  runnerId: string,
  taskId: string,
): Promise<HostTaskRow | undefined> {
  const [row] = await db
    .select()
    .from(hostTasks)
    .where(and(eq(hostTasks.id, taskId), eq(hostTasks.runnerId, runnerId)));
  return row;
}

/** Selects the due pending tasks of a host, oldest first. */
export function selectDueHostTasks(db: Database, due: { runnerId: string; now: number; limit: number }) {
  return db
    .select()
    .from(hostTasks)
    .where(
      and(
        eq(hostTasks.runnerId, due.runnerId),
        eq(hostTasks.state, 'pending'),
        lte(hostTasks.dueAt, due.now),
      ),
    )
    .orderBy(asc(hostTasks.dueAt))
    .limit(due.limit);
}

/** No effect if repeated. @returns the kind of the task that this call ended */
export async function finishHostTask(
  db: Database,
  done: { runnerId: string; taskId: string; proxy: ProxyResult; at: number },
): Promise<HostTask['kind'] | undefined> {
  const [row] = await db
    .update(hostTasks)
    .set({ state: 'done', ok: done.proxy.ok, detail: done.proxy.detail, finishedAt: done.at })
    .where(
      and(
        eq(hostTasks.id, done.taskId),
        eq(hostTasks.runnerId, done.runnerId),
        eq(hostTasks.state, 'pending'),
      ),
    )
    .returning({ task: hostTasks.task });
  return row?.task.kind;
}

/** Deletes finished tasks, by the index that also finds pending ones. */
export function pruneHostTasks(db: Database, before: number) {
  return db.run(sql`delete from host_tasks
    where runner_id in (select id from runners) and state = 'done' and due_at < ${before}`);
}
