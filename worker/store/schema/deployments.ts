import { index, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { deploymentTriggers } from '../../domain/jobs/deployment-state.ts';
import { moment, sealedText } from './columns.ts';
import { jobs } from './jobs.ts';
import { services } from './services.ts';

export const deployments = sqliteTable(
  'deployments',
  {
    id: text('id').primaryKey(),
    serviceId: text('service_id')
      .notNull()
      .references(() => services.id, { onDelete: 'cascade' }),
    jobId: text('job_id')
      .notNull()
      .unique()
      .references(() => jobs.id, { onDelete: 'cascade' }),
    status: text('status', {
      enum: ['queued', 'building', 'running', 'superseded', 'failed', 'aborted'],
    }).notNull(),
    trigger: text('trigger', { enum: deploymentTriggers }).notNull(),
    /** The deployment whose image a rollback or restart reuses; a rollback also reuses its variables. */
    sourceDeploymentId: text('source_deployment_id'),
    /** The commit, tag or branch that the request names; `null`: the service's branch, or no repository. */
    ref: text('ref'),
    commitSha: text('commit_sha'),
    /** First line of the commit message. A rollback has the message of the deployment that it restores. */
    commitMessage: text('commit_message'),
    commitAuthor: text('commit_author'),
    /** The branch that was fetched. */
    branch: text('branch'),
    /** Checksum of the folder from which it was built; `null` unless uploaded. A rollback has the checksum of the deployment that it restores. */
    sourceDigest: text('source_digest'),
    imageTag: text('image_tag'),
    /** Digest of the pulled image at its registry: as reported by the host, or requested by an update. `null`: unknown, or no pulled image. */
    imageDigest: text('image_digest'),
    containerName: text('container_name'),
    /** Spec and variables as dispatched, sealed with the project's data key; a rollback reuses them. */
    sealedSnapshot: sealedText('sealed_snapshot'),
    startedAt: moment('started_at'),
    finishedAt: moment('finished_at'),
    createdAt: moment('created_at').notNull(),
  },
  (table) => [index('deployments_service').on(table.serviceId, table.createdAt)],
);
