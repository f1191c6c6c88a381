/** Git webhooks of services, and the pushes received through them. */
import { and, eq, getTableColumns, lt, type SQL, sql } from 'drizzle-orm';
import {
  deploymentStatements,
  type JobRow,
  type NewDeployment,
  type StartedDeployment,
} from '../deployments/deployment-store.ts';
import { deployments } from '../schema/deployments.ts';
import { gitWebhookDeliveries, gitWebhooks } from '../schema/git-webhooks.ts';
import { jobs } from '../schema/jobs.ts';
import { projects } from '../schema/projects.ts';
import { services } from '../schema/services.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { keptStatement, type Later } from '../sql/kept-statement.ts';
import { scopedServiceId } from '../sql/scoped-store.ts';

/** Service, project and sealed secret of a webhook, without a scope check: none of it may be used before the signature is verified. */
export const selectSignedService = keptStatement((db, serviceId: Later) =>
  db
    .select({
      service: columnsAs(services, 'service'),
      project: columnsAs(projects, 'project'),
      sealedSecret: gitWebhooks.sealedSecret,
      verifiedAt: gitWebhooks.verifiedAt,
      repoUrl: gitWebhooks.repoUrl,
    })
    .from(gitWebhooks)
    .innerJoin(services, eq(services.id, gitWebhooks.serviceId))
    .innerJoin(projects, eq(projects.id, services.projectId))
    .where(eq(gitWebhooks.serviceId, serviceId))
    .limit(1),
);

/** Creation time and repository of a service's webhook; no row if there is none or the key can't access the service. */
export function selectScopedWebhook(db: Database, tokenId: string, serviceId: string) {
  return db
    .select({ createdAt: gitWebhooks.createdAt, repoUrl: gitWebhooks.repoUrl })
    .from(gitWebhooks)
    .where(eq(gitWebhooks.serviceId, scopedServiceId(db, tokenId, serviceId)));
}

export function selectSealedSecret(db: Database, serviceId: string) {
  return db
    .select({ sealedSecret: gitWebhooks.sealedSecret })
    .from(gitWebhooks)
    .where(eq(gitWebhooks.serviceId, serviceId));
}

/**
 * Creates the webhook of a service or replaces its secret.
 * @param projectId the project whose key seals the secret
 * @returns false if the service has left this project or no longer exists; nothing was written then
 */
export async function putWebhook(
  db: Database,
  projectId: string,
  { serviceId, sealedSecret, createdAt }: Omit<typeof gitWebhooks.$inferSelect, 'verifiedAt' | 'repoUrl'>,
): Promise<boolean> {
  const { meta } = await db.run(sql`
    insert into git_webhooks (service_id, sealed_secret, created_at, repo_url)
    select id, ${sealedSecret}, ${createdAt}, repo_url from services where id = ${serviceId} and project_id = ${projectId}
    on conflict (service_id) do update set sealed_secret = excluded.sealed_secret, created_at = excluded.created_at,
      repo_url = excluded.repo_url, verified_at = null`);
  return meta.changes > 0;
}

/** Stores that a delivery was signed with the secret of a webhook. */
export const noteVerifiedWebhook = (db: Database, serviceId: string, verifiedAt: number) =>
  db.update(gitWebhooks).set({ verifiedAt }).where(eq(gitWebhooks.serviceId, serviceId));

export async function deleteWebhook(db: Database, serviceId: string): Promise<void> {
  await db.delete(gitWebhooks).where(eq(gitWebhooks.serviceId, serviceId));
}

export function replaceSealedSecret(db: Database, serviceId: string, sealedSecret: string) {
  return db.update(gitWebhooks).set({ sealedSecret }).where(eq(gitWebhooks.serviceId, serviceId));
}

/** A push to the branch that a service deploys. */
export interface Push {
  deliveryId: string;
  commitSha: string;
}

export interface PushDeployment {
  deployment: StartedDeployment;
  runnerId: JobRow['runnerId'];
}

/**
 * Finds or queues the deployment of a push, in one batch, so that the later of two concurrent deliveries sees the result of the earlier one:
 * - a delivery that was accepted before has its own deployment;
 * - a queued deployment covers this push too, because it fetches the branch when it starts; if pushes alone started it, it names the last of them;
 * - so does the newest deployment if it deploys exactly this commit (a folder may name it, too, but is not its files);
 * - otherwise `fresh` is queued.
 * @returns undefined if the host was revoked or the service no longer exists; nothing was written then
 */
export async function deployPush(
  db: Database,
  fresh: NewDeployment,
  { deliveryId, commitSha }: Push,
): Promise<PushDeployment | undefined> {
  const { serviceId } = fresh;
  const covering = coveringDeployment(serviceId, commitSha);
  const push = { serviceId, deliveryId, commitSha, createdAt: fresh.createdAt };
  const isKnown = isKnownDelivery(push);
  const rows = await db.batch([
    // A push of an earlier time that waits for its checks is included: a deployment that is not bound to a commit fetches the newest one.
    db.run(
      sql`delete from awaited_pushes where service_id = ${serviceId} and not exists (${isKnown}) and exists (${covering})`,
    ),
    ...deploymentStatements(db, fresh, sql`not exists (${isKnown}) and not exists (${covering})`),
    db.run(sql`update jobs set started_by = ${JSON.stringify(fresh.startedBy)} where state = 'queued' and id <> ${fresh.jobId} and not exists (${isKnown})
      and id = (select job_id from deployments where trigger = 'webhook' and id = (${covering}))`),
    noteDelivery(db, { ...push, deployment: covering }),
    selectDelivered(db, push),
  ]);
  const [row] = rows.at(-1) as PushDeployment[];
  return row;
}

interface Delivery {
  serviceId: string;
  deliveryId: string;
}

/** Whether the delivery was accepted before. */
export const isKnownDelivery = ({ serviceId, deliveryId }: Delivery): SQL =>
  sql`select 1 from git_webhook_deliveries where service_id = ${serviceId} and delivery_id = ${deliveryId}`;

/** Stores that a delivery has this deployment; nothing is written if there is no deployment, or for a known delivery. */
export const noteDelivery = (
  db: Database,
  push: Delivery & { commitSha: string; createdAt: number; deployment: SQL },
) =>
  db.run(sql`insert into git_webhook_deliveries (service_id, delivery_id, commit_sha, deployment_id, created_at)
    select ${push.serviceId}, ${push.deliveryId}, ${push.commitSha}, id, ${push.createdAt} from (${push.deployment}) where true
    on conflict (service_id, delivery_id) do nothing`);

/** The deployment of an accepted delivery. */
export function selectDelivered(db: Database, { serviceId, deliveryId }: Delivery) {
  const { sealedSnapshot: _, ...shown } = getTableColumns(deployments);
  return db
    .select({ deployment: { ...shown, startedBy: jobs.startedBy }, runnerId: jobs.runnerId })
    .from(gitWebhookDeliveries)
    .innerJoin(deployments, eq(deployments.id, gitWebhookDeliveries.deploymentId))
    .innerJoin(jobs, eq(jobs.id, deployments.jobId))
    .where(
      and(eq(gitWebhookDeliveries.serviceId, serviceId), eq(gitWebhookDeliveries.deliveryId, deliveryId)),
    );
}

/**
 * The deployment of a service that covers this push; no row if there is none. A queued deployment does not cover it if a rollback, or a
 * commit, tag or branch, was requested after that deployment: the push is later, so it takes precedence. The newest deployment covers it unless it fetched another commit.
 * A deployment of a push that waited for its checks fetches only its own commit.
 */
function coveringDeployment(serviceId: string, commitSha: string): SQL {
  const isNewer = sql`(newer.created_at, newer.rowid) > (own.created_at, own.rowid)`;
  return sql`select own.id from deployments own where own.service_id = ${serviceId} and (
      (own.status = 'queued' and own.trigger = 'webhook' and (own.ref is null or own.ref = ${commitSha}) and not exists (
        select 1 from deployments newer where newer.service_id = own.service_id and newer.status = 'queued'
          and (newer.source_deployment_id is not null or newer.ref is not null) and ${isNewer}))
      or (own.status in ('queued', 'building', 'running')
        and not exists (select 1 from deployments newer where newer.service_id = own.service_id and ${isNewer})
        and own.source_digest is null and (own.commit_sha = ${commitSha} or own.commit_sha is null and (own.ref is null or own.ref = ${commitSha}) and exists (
          select 1 from git_webhook_deliveries earlier
          where earlier.deployment_id = own.id and earlier.commit_sha = ${commitSha}))))
    order by own.created_at desc, own.rowid desc limit 1`;
}

export function pruneWebhookDeliveries(db: Database, before: number) {
  return db.delete(gitWebhookDeliveries).where(lt(gitWebhookDeliveries.createdAt, before));
}
