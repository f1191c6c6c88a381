/** The outbox of commit statuses, which cron empties. A claim also sets the time of the next attempt, so a run that dies is retried. */

import { and, eq, inArray, sql } from 'drizzle-orm';
import type { BatchItem } from 'drizzle-orm/batch';
import { insertAudit } from '../alerts/event-store.ts';
import { type SettingRow, selectSettings } from '../instance/settings-store.ts';
import { deployments } from '../schema/deployments.ts';
import { awaitedPushes, commitStatuses } from '../schema/git-webhooks.ts';
import { jobs } from '../schema/jobs.ts';
import { projects } from '../schema/projects.ts';
import { services } from '../schema/services.ts';
import { type ServiceView, selectServiceViews } from '../services/service-view-store.ts';
import type { Database } from '../sql/database.ts';
import { retryWait } from '../sql/retry-wait.ts';
import { credentialsOfProject, type SealedGitCredential } from './git-credential-store.ts';

export type CommitStatusRow = typeof commitStatuses.$inferSelect;

/** The reason of a failed deployment or of a push that is not deployed, and the credentials that its service may use. */
export interface StatusContext {
  /** Empty for an awaited push. */
  deploymentId: string;
  serviceId: string;
  failure: string | null;
  tenantId: string;
  projectSlug: string;
  credentials: SealedGitCredential[];
}

export interface ClaimedStatuses {
  rows: CommitStatusRow[];
  contexts: StatusContext[];
  views: ServiceView[];
  settings: SettingRow[];
}

/** Claims for one run the statuses that have waited longest, tenants in turn, with the facts to report. */
export async function claimCommitStatuses(
  db: Database,
  { now, limit }: { now: number; limit: number },
): Promise<ClaimedStatuses> {
  const rows = await db
    .update(commitStatuses)
    .set({ attempts: sql`attempts + 1`, nextAttemptAt: sql`${now} + ${retryWait}` })
    .where(sql`rowid in (select place from (
        select commit_statuses.rowid as place, next_attempt_at,
          row_number() over (partition by tenant_id order by next_attempt_at) as turn
        from commit_statuses left join services on services.id = service_id left join projects on projects.id = project_id
        where next_attempt_at <= ${now})
      order by turn, next_attempt_at limit ${limit})`)
    .returning();
  if (rows.length === 0) return { rows, contexts: [], views: [], settings: [] };
  const ofProject = {
    tenantId: projects.tenantId,
    projectSlug: projects.slug,
    credentials: credentialsOfProject.as('git_credentials'),
  };
  const [contexts, awaited, views, settings] = await db.batch([
    db
      .select({
        deploymentId: deployments.id,
        serviceId: deployments.serviceId,
        failure: jobs.failureMessage,
        ...ofProject,
      })
      .from(deployments)
      .innerJoin(jobs, eq(jobs.id, deployments.jobId))
      .innerJoin(services, eq(services.id, deployments.serviceId))
      .innerJoin(projects, eq(projects.id, services.projectId))
      .where(
        inArray(
          deployments.id,
          rows.map(({ deploymentId }) => deploymentId),
        ),
      ),
    db
      .select({
        deploymentId: sql<string>`''`.as('deployment_id'),
        serviceId: awaitedPushes.serviceId,
        failure: awaitedPushes.detail,
        ...ofProject,
      })
      .from(awaitedPushes)
      .innerJoin(services, eq(services.id, awaitedPushes.serviceId))
      .innerJoin(projects, eq(projects.id, services.projectId))
      .where(
        inArray(
          awaitedPushes.serviceId,
          rows.filter(({ deploymentId }) => deploymentId === '').map(({ serviceId }) => serviceId),
        ),
      ),
    selectServiceViews(
      db,
      rows.map(({ serviceId }) => serviceId),
    ),
    selectSettings(db),
  ]);
  return { rows, contexts: [...contexts, ...awaited], views, settings };
}

export interface StatusEnd {
  row: CommitStatusRow;
  /** Whether there will be another attempt. */
  isOver: boolean;
  /** The credential that was used; undefined if there is none for the repository. */
  credentialId: string | undefined;
  /** `null` if it was delivered. */
  failure: string | null;
  /** The time before which the git host allows no further attempt. */
  waitsUntil: number | null;
  audit: { id: string; tenantId: string; at: number };
}

/** Writes the results of attempts in one batch. A status that has changed since remains in the outbox. */
export async function endCommitStatuses(db: Database, ends: readonly StatusEnd[]): Promise<void> {
  const [first, ...others] = ends.flatMap((end) => statementsOf(db, end));
  if (first) await db.batch([first, ...others]);
}

function statementsOf(
  db: Database,
  { row, isOver, credentialId, failure, waitsUntil, audit }: StatusEnd,
): BatchItem<'sqlite'>[] {
  const { serviceId, commitSha, version, deploymentId, state } = row;
  const isSame = and(
    eq(commitStatuses.serviceId, serviceId),
    eq(commitStatuses.commitSha, commitSha),
    eq(commitStatuses.version, version),
  );
  if (!isOver)
    return waitsUntil === null
      ? []
      : [
          db
            .update(commitStatuses)
            .set({ nextAttemptAt: sql`max(next_attempt_at, ${waitsUntil})` })
            .where(isSame),
        ];
  const told = db.run(sql`update git_credentials set commit_status_failure = ${failure}
    where id = ${credentialId ?? ''} and commit_status_failure is not ${failure}`);
  const ended = db.delete(commitStatuses).where(isSame);
  if (failure === null) return [told, ended];
  return [
    told,
    insertAudit(
      db,
      { id: audit.id, route: `commit_status.undelivered ${state}`, status: 504, at: audit.at },
      sql`select ${audit.tenantId} as tenant_id, ${deploymentId || serviceId} as resource_id`,
    ),
    ended,
  ];
}
