import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { HostTask } from '../../../protocol/host-task.ts';
import { flag, json, moment } from './columns.ts';

/** Tasks that wait for their host. No foreign key: a removal outlives the service or project that it removes. */
export const hostTasks = sqliteTable(
  'host_tasks',
  {
    id: text('id').primaryKey(),
    runnerId: text('runner_id').notNull(),
    /** The tenant that it is about, set by a trigger; null: unknown. */
    tenantId: text('tenant_id'),
    task: json<HostTask>('task').notNull(),
    state: text('state', { enum: ['pending', 'done'] }).notNull(),
    /** Earliest time. */
    dueAt: moment('due_at').notNull(),
    /** The host's result; null until done. */
    ok: flag('ok'),
    detail: text('detail'),
    createdAt: moment('created_at').notNull(),
    finishedAt: moment('finished_at'),
  },
  (table) => [index('host_tasks_pending').on(table.runnerId, table.state, table.dueAt)],
);
