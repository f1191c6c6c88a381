import { sql } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';
import type { HostTask } from '../../../protocol/host-task.ts';
import type { RunnerFacts } from '../../../protocol/runner-facts.ts';
import { flag, json, moment } from './columns.ts';
import { tenants } from './tenants.ts';

/** Docker hosts. */
export const runners = sqliteTable(
  'runners',
  {
    id: text('id').primaryKey(),
    /** The tenant that owns it; `null` for the default tenant. */
    tenantId: text('tenant_id').references(() => tenants.id),
    /** Whether the operator lets it serve all tenants, which it does only while it is isolated (domain/host-sharing). */
    shared: flag('shared').notNull().default(false),
    name: text('name').notNull(),
    /** Ed25519 and X25519 public keys, base64url. */
    identityKey: text('identity_key').notNull(),
    sealingKey: text('sealing_key').notNull(),
    facts: json<RunnerFacts>('facts').notNull(),
    /** The version of runc that the operator considers fixed; it counts while the host reports exactly this version (domain/host-sharing). */
    trustedRunc: text('trusted_runc'),
    /** Whether it accepts no new services and jobs; running ones continue. */
    drained: flag('drained').notNull(),
    revokedAt: moment('revoked_at'),
    /** `null` while not connected, or if never connected. The hub writes both columns, only on changes. */
    connectedAt: moment('connected_at'),
    disconnectedAt: moment('disconnected_at'),
    /** Column of the previous release: when it had raised the event of an absence. Removed with the next release. */
    awayReportedAt: moment('away_reported_at'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    // Read every minute (store/alerts/standing-alert-store).
    index('runners_away').on(table.disconnectedAt).where(sql`connected_at is null`),
    index('runners_tenant').on(table.tenantId),
    index('runners_created').on(table.createdAt),
    // In the order of ids, for samples of open hosts (store/placement-store).
    index('runners_owner').on(sql`coalesce(tenant_id, 'default')`, table.id),
    index('runners_shared').on(table.shared, table.id),
  ],
);

/** A host's processes and its clock, from its hellos. A separate table, because an enrolment writes all columns of `runners`. */
export const runnerProcesses = sqliteTable('runner_processes', {
  runnerId: text('runner_id')
    .primaryKey()
    .references(() => runners.id, { onDelete: 'cascade' }),
  /**
   * Ids of its latest processes, newest first. The order is that of their first connections, and the later of two remains. Their own start
   * times do not count, because a host's clock may be wrong, and behind that of the previous process.
   */
  bootIds: json<string[]>('boot_ids').notNull(),
  /** How far the host's clock was ahead at its last report; negative if behind. */
  clockAheadMs: integer('clock_ahead_ms'),
});

/** One-time tokens that enrol a runner. Only a SHA-256 hash is stored. */
export const enrolmentTokens = sqliteTable(
  'enrolment_tokens',
  {
    id: integer('id').primaryKey(),
    tokenHash: text('token_hash').notNull().unique(),
    /** The owner of the new host; `null` for the default tenant. */
    tenantId: text('tenant_id').references(() => tenants.id),
    shared: flag('shared').notNull().default(false),
    name: text('name'),
    createdAt: moment('created_at').notNull(),
    expiresAt: moment('expires_at').notNull(),
    usedAt: moment('used_at'),
  },
  (table) => [index('enrolment_tokens_tenant').on(table.tenantId)],
);

/** Scheduled rounds of upgrades: one host after another gets the release that the control plane offers. */
export const upgradeRounds = sqliteTable(
  'upgrade_rounds',
  {
    /** Time of its start, as 20261124T031500000Z. */
    id: text('id').primaryKey(),
    release: text('release').notNull(),
    /** `complete`: no host was left; `ended`: the window closed or there was another release; `stopped`: a host failed. */
    state: text('state', { enum: ['running', 'complete', 'ended', 'stopped'] }).notNull(),
    /** Number of hosts that this round has upgraded. */
    upgraded: integer('upgraded').notNull().default(0),
    /** The host that is being upgraded, or that failed; `null` if there is none. */
    runnerId: text('runner_id'),
    askedAt: moment('asked_at'),
    /** Time of the record of that host's previous upgrade; `null` if it had none. */
    recordBefore: moment('record_before'),
    /** Why the request to the host could not be sent, or why the upgrade failed. */
    error: text('error'),
    startedAt: moment('started_at').notNull(),
    finishedAt: moment('finished_at'),
  },
  (table) => [uniqueIndex('upgrade_rounds_running').on(table.state).where(sql`state = 'running'`)],
);

/** Tasks that wait for their host. No foreign key: a removal outlives its service or project. */
export const hostTasks = sqliteTable(
  'host_tasks',
  {
    id: text('id').primaryKey(),
    runnerId: text('runner_id').notNull(),
    /** The tenant of the task, set by a trigger; `null` if unknown. */
    tenantId: text('tenant_id'),
    task: json<HostTask>('task').notNull(),
    state: text('state', { enum: ['pending', 'done'] }).notNull(),
    /** Earliest time. */
    dueAt: moment('due_at').notNull(),
    /** The host's result; `null` until the task is done. */
    ok: flag('ok'),
    detail: text('detail'),
    createdAt: moment('created_at').notNull(),
    finishedAt: moment('finished_at'),
  },
  (table) => [index('host_tasks_pending').on(table.runnerId, table.state, table.dueAt)],
);
