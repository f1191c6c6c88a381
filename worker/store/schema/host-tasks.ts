import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { HostTask } from '../../../protocol/host-task.ts';
import { json, moment } from './columns.ts';

/** Removals on a host. No foreign key: a task outlives the service or project it takes away. */
export const hostTasks = sqliteTable(
  'host_tasks',
  {
    id: text('id').primaryKey(),
    runnerId: text('runner_id').notNull(),
    task: json<HostTask>('task').notNull(),
    state: text('state', { enum: ['pending', 'done'] }).notNull(),
    /** Not before this moment (volumes go 24 h after their service). */
    dueAt: moment('due_at').notNull(),
    detail: text('detail'),
    createdAt: moment('created_at').notNull(),
    finishedAt: moment('finished_at'),
  },
  (table) => [index('host_tasks_pending').on(table.runnerId, table.state, table.dueAt)],
);
