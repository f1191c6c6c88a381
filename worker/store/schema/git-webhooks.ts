/** Pushes received from git hosts, and commit statuses sent to them. */
import { index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Initiator } from '../../domain/access/initiator.ts';
import { awaitedStates } from '../../domain/sources/commit-checks/commit-checks.ts';
import { commitStates } from '../../domain/sources/commit-status/commit-status.ts';
import { json, moment, sealedText } from './columns.ts';
import { deployments } from './deployments.ts';
import { services } from './services.ts';

/** Webhooks of services whose pushes are deployed: one row each. */
export const gitWebhooks = sqliteTable('git_webhooks', {
  serviceId: text('service_id')
    .primaryKey()
    .references(() => services.id, { onDelete: 'cascade' }),
  /** The secret with which the git host signs, sealed with the project's data key. */
  sealedSecret: sealedText('sealed_secret').notNull(),
  /** The service's repository at that time: pushes are deployed only while the service is built from it. Null: unknown. */
  repoUrl: text('repo_url'),
  /** Creation time of the secret. */
  createdAt: moment('created_at').notNull(),
  /** Time of the first delivery that was verified with this secret; `null` before that. */
  verifiedAt: moment('verified_at'),
});

/** Accepted pushes, for a week: a repeated delivery leads to the same deployment. */
export const gitWebhookDeliveries = sqliteTable(
  'git_webhook_deliveries',
  {
    serviceId: text('service_id')
      .notNull()
      .references(() => services.id, { onDelete: 'cascade' }),
    /** The delivery's id from `deliveryIdOf`; if the git host sends none, the id of the deployment. */
    deliveryId: text('delivery_id').notNull(),
    /** Head of the branch after the push. */
    commitSha: text('commit_sha').notNull(),
    /** The deployment for the push; several pushes can share one. */
    deploymentId: text('deployment_id')
      .notNull()
      .references(() => deployments.id, { onDelete: 'cascade' }),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.serviceId, table.deliveryId] }),
    index('git_webhook_deliveries_deployment').on(table.deploymentId),
    index('git_webhook_deliveries_created').on(table.createdAt),
  ],
);

/**
 * The newest push of a service that waits for the checks of its commit (setting `waitForChecks`), or whose checks kept it from being deployed.
 * A deployment of a later time ends it. Triggers write its commit status.
 */
export const awaitedPushes = sqliteTable(
  'awaited_pushes',
  {
    serviceId: text('service_id')
      .primaryKey()
      .references(() => services.id, { onDelete: 'cascade' }),
    /** As in `git_webhook_deliveries`; if the git host sends none, an id of its own. */
    deliveryId: text('delivery_id').notNull(),
    commitSha: text('commit_sha').notNull(),
    /** The first line of the commit's message; `null` if the git host does not send it. */
    commitMessage: text('commit_message'),
    /** Repository and branch of the service at the time of the push: it is not deployed after a change of them. */
    repoUrl: text('repo_url').notNull(),
    branch: text('branch').notNull(),
    startedBy: json<Initiator>('started_by').notNull(),
    state: text('state', { enum: awaitedStates }).notNull(),
    /** What the last look saw, as a sentence; `null` before the first. */
    detail: text('detail'),
    /** Earlier pushes that this one replaced, newest last: their repetitions are ignored. */
    replaced: json<{ deliveryId: string; commitSha: string }[]>('replaced').notNull(),
    createdAt: moment('created_at').notNull(),
    lookedAt: moment('looked_at'),
    /** Number of looks. */
    looks: integer('looks').notNull(),
    /** Set by each claim, so that no other run takes the row before that time; `null`: it waits no longer. */
    nextLookAt: moment('next_look_at'),
  },
  (table) => [index('awaited_pushes_next_look').on(table.nextLookAt)],
);

/**
 * The outbox of commit statuses: the newest state of a service's commit that its git host does not know yet. Triggers on deployments, on
 * pushes and on awaited pushes write it, if a credential is set up for it. A row is deleted after delivery or giving up; it has no foreign key, and is also
 * deleted if its service no longer exists.
 */
export const commitStatuses = sqliteTable(
  'commit_statuses',
  {
    serviceId: text('service_id').notNull(),
    commitSha: text('commit_sha').notNull(),
    /** Empty for the state of an awaited push. */
    deploymentId: text('deployment_id').notNull(),
    state: text('state', { enum: commitStates }).notNull(),
    /** Counts the states, so that the delivery of an older one does not delete a newer one. */
    version: integer('version').notNull(),
    /** Number of delivery attempts of this state. */
    attempts: integer('attempts').notNull(),
    /** Set by each claim, so that no other run takes the row before that time; 0 for an immediate attempt. */
    nextAttemptAt: moment('next_attempt_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.serviceId, table.commitSha] }),
    index('commit_statuses_next_attempt').on(table.nextAttemptAt),
  ],
);
