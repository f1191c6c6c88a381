import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { RunnerFacts } from '../../../protocol/runner-facts.ts';
import { flag, json, moment } from './columns.ts';
import { tenants } from './tenants.ts';

/** Docker hosts. */
export const runners = sqliteTable(
  'runners',
  {
    id: text('id').primaryKey(),
    /** The tenant that owns it; null: the default tenant. */
    tenantId: text('tenant_id').references(() => tenants.id),
    /** The operator lets it serve all tenants. It does only while it is isolated (domain/host-sharing). */
    shared: flag('shared').notNull().default(false),
    name: text('name').notNull(),
    /** Ed25519 and X25519 public keys, base64url. */
    identityKey: text('identity_key').notNull(),
    sealingKey: text('sealing_key').notNull(),
    facts: json<RunnerFacts>('facts').notNull(),
    /** The version of runc that the operator takes for fixed; it counts while the host reports exactly this (domain/host-sharing). */
    trustedRunc: text('trusted_runc'),
    /** Accepts no new services and jobs; what is running continues. */
    drained: flag('drained').notNull(),
    revokedAt: moment('revoked_at'),
    /** Null while not connected (or never connected). The hub writes both columns, only on changes. */
    connectedAt: moment('connected_at'),
    disconnectedAt: moment('disconnected_at'),
    /** When the event of its absence was raised; null: it was connected since. */
    awayReportedAt: moment('away_reported_at'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    // Both are looked at every minute (store/host-event-store).
    index('runners_unreported')
      .on(table.disconnectedAt)
      .where(sql`connected_at is null and away_reported_at is null`),
    index('runners_reported').on(table.awayReportedAt).where(sql`away_reported_at is not null`),
    index('runners_tenant').on(table.tenantId),
    index('runners_created').on(table.createdAt),
    // In the order of ids, for samples of open hosts (store/placement-store).
    index('runners_owner').on(sql`coalesce(tenant_id, 'default')`, table.id),
    index('runners_shared').on(table.shared, table.id),
  ],
);

/** What the hellos of a host have said about its processes and its clock. A table of its own: hosts are enrolled with all columns of theirs. */
export const runnerProcesses = sqliteTable('runner_processes', {
  runnerId: text('runner_id')
    .primaryKey()
    .references(() => runners.id, { onDelete: 'cascade' }),
  /**
   * Ids of its last processes, newest first: of two the one stays that has connected for the first time later. Their own start times do not
   * count, because the clock of a host may be wrong, and behind that of its process before.
   */
  bootIds: json<string[]>('boot_ids').notNull(),
  /** How far its clock was ahead when it last said the time; negative: behind. Null: an old runner. */
  clockAheadMs: integer('clock_ahead_ms'),
});

/** One-time tokens that enrol a runner. Only a SHA-256 hash is stored. */
export const enrolmentTokens = sqliteTable(
  'enrolment_tokens',
  {
    id: integer('id').primaryKey(),
    tokenHash: text('token_hash').notNull().unique(),
    /** The owner of the new host; null: the default tenant. */
    tenantId: text('tenant_id').references(() => tenants.id),
    shared: flag('shared').notNull().default(false),
    name: text('name'),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    usedAt: moment('used_at'),
  },
  (table) => [index('enrolment_tokens_tenant').on(table.tenantId)],
);

/** Rounds of upgrades by the clock: one host after the other gets the release that the control plane offers. */
export const upgradeRounds = sqliteTable(
  'upgrade_rounds',
  {
    /** Its start, as 20261124T031500000Z. */
    id: text('id').primaryKey(),
    release: text('release').notNull(),
    /** `complete`: no host was left; `ended`: the window closed or another release came; `stopped`: a host failed. */
    state: text('state', { enum: ['running', 'complete', 'ended', 'stopped'] }).notNull(),
    /** Hosts that have the release now, of those that the round upgraded. */
    upgraded: integer('upgraded').notNull().default(0),
    /** The host that is being upgraded, or that failed; null: none at the moment. */
    runnerId: text('runner_id'),
    askedAt: moment('asked_at'),
    /** Time of that host's record of the upgrade before; null: it had none. */
    recordBefore: moment('record_before'),
    /** Why the host could not be asked, or has failed. */
    error: text('error'),
    startedAt: moment('started_at').notNull(),
    finishedAt: moment('finished_at'),
  },
  (table) => [uniqueIndex('upgrade_rounds_running').on(table.state).where(sql`state = 'running'`)],
);
