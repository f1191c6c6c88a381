import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { moment } from './columns.ts';

/** Dumps of this database in the bucket, and the progress of the running one. */
export const dumps = sqliteTable(
  'dumps',
  {
    /** Time of its start, in the form for the names of its objects: `dumps/<id>/`. */
    id: text('id').primaryKey(),
    state: text('state', { enum: ['running', 'complete', 'failed'] }).notNull(),
    /** The next part to read: the position in the list of tables, and the rowid before it. */
    position: integer('position').notNull().default(0),
    afterRow: integer('after_row').notNull().default(0),
    /** Objects, rows and bytes (compressed) so far. */
    parts: integer('parts').notNull().default(0),
    rows: integer('rows').notNull().default(0),
    bytes: integer('bytes').notNull().default(0),
    startedAt: moment('started_at').notNull(),
    finishedAt: moment('finished_at'),
  },
  (table) => [index('dumps_started').on(table.startedAt)],
);
