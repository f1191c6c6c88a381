import { index, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { moment } from './columns.ts';
import { runners } from './runners.ts';
import { tenants } from './tenants.ts';

/** The time at which each tenant last started a job on a host, so that tenants take turns. Empty while there is only the default tenant. */
export const claimTurns = sqliteTable(
  'claim_turns',
  {
    runnerId: text('runner_id')
      .notNull()
      .references(() => runners.id, { onDelete: 'cascade' }),
    tenantId: text('tenant_id')
      .notNull()
      .references(() => tenants.id, { onDelete: 'cascade' }),
    /** protocol/job-places: each place has its own turns. */
    place: text('place', { enum: ['build', 'data', 'drill', 'run'] }).notNull(),
    claimedAt: moment('claimed_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.runnerId, table.tenantId, table.place] }),
    index('claim_turns_tenant').on(table.tenantId),
  ],
);
