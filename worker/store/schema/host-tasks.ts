import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { HostTask } from '../../../protocol/host-task.ts';
import { flag, json, moment } from './columns.ts';

/** Work on a host that waits for its return. No foreign key: a removal outlives the service or project it takes away. */
export const hostTasks = sqliteTable(
  'host_tasks',
  {
    id: text('id').primaryKey(),
    runnerId: text('runner_id').notNull(),
    task: json<HostTask>('task').notNull(),
    state: text('state', { enum: ['pending', 'done'] }).notNull(),
    /** Not before this moment (volumes go 24 h after their service). */
    dueAt: moment('due_at').notNull(),
    /** What the host said of it: null until it is done. */
    ok: flag('ok'),
    detail: text('detail'),
    createdAt: moment('created_at').notNull(),
    finishedAt: moment('finished_at'),
  },
  (table) => [index('host_tasks_pending').on(table.runnerId, table.state, table.dueAt)],
);
