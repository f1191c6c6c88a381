/** Pushes that wait for the checks of their commits. A claim also sets the time of the next look, so a run that dies is repeated. */
import { and, eq, ne, type SQL, sql } from 'drizzle-orm';
import type { Initiator } from '../../domain/access/initiator.ts';
import { type AwaitedState, gapMaxMs } from '../../domain/sources/commit-checks/commit-checks.ts';
import { insertAudit, type NewEvent, raiseEvent } from '../alerts/event-store.ts';
import { deploymentStatements, type NewDeployment } from '../deployments/deployment-store.ts';
import { type SettingRow, selectSettings } from '../instance/settings-store.ts';
import { awaitedPushes } from '../schema/git-webhooks.ts';
import { projects } from '../schema/projects.ts';
import { services } from '../schema/services.ts';
import { dropAwaitedPush, noteDeliveries } from '../sql/awaited-push-end.ts';
import { columnsAs } from '../sql/columns-as.ts';
import type { Database } from '../sql/database.ts';
import { keptStatement, type Later } from '../sql/kept-statement.ts';
import { scopedServiceId } from '../sql/scoped-store.ts';
import { credentialsOfProject, type SealedGitCredential } from './git-credential-store.ts';
import { isKnownDelivery, noteDelivery, type PushDeployment, selectDelivered } from './git-webhook-store.ts';

export type AwaitedPush = typeof awaitedPushes.$inferSelect;

/** The awaited push of a service within the scope of a key; no row if there is none. */
export const selectScopedAwaitedPush = keptStatement((db, tokenId: Later, serviceId: Later) =>
  db
    .select()
    .from(awaitedPushes)
    .where(
      and(
        eq(awaitedPushes.serviceId, scopedServiceId(db, tokenId, serviceId)),
        ne(awaitedPushes.state, 'dropped'),
      ),
    ),
);

export interface NewAwaitedPush {
  serviceId: string;
  deliveryId: string;
  commitSha: string;
  commitMessage: string | null;
  startedBy: Initiator;
  createdAt: number;
  nextLookAt: number;
}

/** Repetitions of so many replaced pushes are recognised. */
const replacedMax = 50;

/**
 * Stores a push, in place of the one before. Nothing changes if the delivery is known, or if the newest deployment already deploys this commit. A
 * deployment that an earlier push queued is bound to the commit of that push: otherwise it would fetch this one.
 * @returns the deployment of a known delivery or of the commit; undefined if the push waits
 */
export async function insertAwaitedPush(
  db: Database,
  push: NewAwaitedPush,
): Promise<PushDeployment | undefined> {
  const { serviceId, deliveryId, commitSha, createdAt } = push;
  const isKnown = isKnownDelivery(push);
  const deploying = deploymentOf(serviceId, commitSha);
  const isNew = sql`not exists (${isKnown}) and not exists (${deploying})`;
  const [, , , , [row]] = await db.batch([
    db.run(sql`update deployments set ref = (select commit_sha from git_webhook_deliveries
          where deployment_id = deployments.id order by created_at desc, git_webhook_deliveries.rowid desc limit 1)
      where service_id = ${serviceId} and status = 'queued' and trigger = 'webhook' and ref is null and ${isNew}`),
    db.run(sql`insert into awaited_pushes (service_id, delivery_id, commit_sha, commit_message, repo_url, branch, started_by, state, replaced,
        created_at, looks, next_look_at)
      select id, ${deliveryId}, ${commitSha}, ${push.commitMessage}, repo_url, branch, ${JSON.stringify(push.startedBy)}, 'waiting', '[]',
        ${createdAt}, 0, ${push.nextLookAt} from services where id = ${serviceId} and ${isNew}
      on conflict (service_id) do update set delivery_id = excluded.delivery_id, commit_sha = excluded.commit_sha,
        commit_message = excluded.commit_message, repo_url = excluded.repo_url, branch = excluded.branch, started_by = excluded.started_by,
        state = 'waiting', detail = null, created_at = excluded.created_at, looked_at = null, looks = 0, next_look_at = excluded.next_look_at,
        replaced = (select json_group_array(json(value)) from (select key, value from (
          select key, value from json_each(json_insert(awaited_pushes.replaced, '$[#]', json_object(
            'deliveryId', awaited_pushes.delivery_id, 'commitSha', awaited_pushes.commit_sha)))
          order by key desc limit ${replacedMax}) order by key))
      where awaited_pushes.delivery_id <> excluded.delivery_id and not exists (select 1 from json_each(awaited_pushes.replaced)
        where value ->> 'deliveryId' = excluded.delivery_id)`),
    db.run(
      sql`delete from awaited_pushes where service_id = ${serviceId} and not exists (${isKnown}) and exists (${deploying})`,
    ),
    noteDelivery(db, { ...push, deployment: deploying }),
    selectDelivered(db, push),
  ]);
  return row;
}

/** The newest deployment of a service, if it deploys exactly this commit and has not ended without success. */
const deploymentOf = (serviceId: string, commitSha: string): SQL => sql`select own.id from deployments own
  where own.service_id = ${serviceId} and own.status in ('queued', 'building', 'running') and own.source_digest is null
    and (own.commit_sha = ${commitSha} or own.ref = ${commitSha})
    and not exists (select 1 from deployments newer where newer.service_id = own.service_id
      and (newer.created_at, newer.rowid) > (own.created_at, own.rowid))`;

/** An awaited push with what a look at its checks needs. */
export interface ClaimedPush {
  push: AwaitedPush;
  service: Pick<
    typeof services.$inferSelect,
    'kind' | 'repoUrl' | 'branch' | 'pushSettings' | 'sealedGitToken'
  >;
  project: Pick<typeof projects.$inferSelect, 'id' | 'tenantId' | 'wrappedDataKey'>;
  credentials: SealedGitCredential[];
}

export interface ClaimedPushes {
  rows: ClaimedPush[];
  settings: SettingRow[];
  /** Number of commits. */
  commits: number;
}

/**
 * Claims the pushes of a few commits that have waited longest for a look, tenants in turn. All services that wait for a commit are claimed
 * together, because one look serves them.
 * @param limit number of commits
 */
export async function claimAwaitedPushes(
  db: Database,
  { now, limit, holdMs }: { now: number; limit: number; holdMs: number },
): Promise<ClaimedPushes> {
  const claimed = await db.all<{ serviceId: string }>(sql`
    with due as (
      select awaited_pushes.rowid as place, tenant_id, awaited_pushes.repo_url, commit_sha, next_look_at from awaited_pushes
        join services on services.id = service_id join projects on projects.id = services.project_id
      where next_look_at <= ${now}),
    turns as (
      select tenant_id, repo_url, commit_sha, min(next_look_at) as since,
        row_number() over (partition by tenant_id order by min(next_look_at)) as turn
      from due group by tenant_id, repo_url, commit_sha)
    update awaited_pushes set looks = looks + 1, next_look_at = ${now + holdMs}
    where rowid in (select place from due join (select * from turns order by turn, since limit ${limit}) using (tenant_id, repo_url, commit_sha))
    returning service_id as serviceId`);
  if (claimed.length === 0) return { rows: [], settings: [], commits: 0 };
  const ids = JSON.stringify(claimed.map(({ serviceId }) => serviceId));
  const [rows, settings] = await db.batch([
    db
      .select({
        push: columnsAs(awaitedPushes, 'push'),
        service: columnsAs(services, 'service'),
        project: columnsAs(projects, 'project'),
        credentials: credentialsOfProject.as('git_credentials'),
      })
      .from(awaitedPushes)
      .innerJoin(services, eq(services.id, awaitedPushes.serviceId))
      .innerJoin(projects, eq(projects.id, services.projectId))
      .where(sql`${awaitedPushes.serviceId} in (select value from json_each(${ids}))`)
      .orderBy(awaitedPushes.serviceId),
    selectSettings(db),
  ]);
  const commits = new Set(
    rows.map(({ push, project }) => `${project.tenantId} ${push.repoUrl} ${push.commitSha}`),
  );
  return { rows, settings, commits: commits.size };
}

/** The push that was looked at, unless it was replaced or dropped since. */
const isStill = ({ serviceId, deliveryId }: Pick<AwaitedPush, 'serviceId' | 'deliveryId'>) =>
  sql`service_id = ${serviceId} and delivery_id = ${deliveryId} and state <> 'dropped'`;

/**
 * Queues the deployment of exactly the commit of an awaited push and ends the push, in one batch: whenever a run dies, the push is deployed once.
 * @returns the host of the deployment; undefined if nothing was queued, because the push was replaced, or is deployed already, or the host was
 *   revoked
 * @param audit.route says why it is deployed
 */
export async function deployAwaitedPush(
  db: Database,
  deployment: Omit<NewDeployment, 'serviceId' | 'named'>,
  push: Pick<AwaitedPush, 'serviceId' | 'deliveryId' | 'commitSha'>,
  audit: { id: string; route: string },
): Promise<string | undefined> {
  const { serviceId, commitSha } = push;
  const isAwaited = sql`exists (select 1 from awaited_pushes where ${isStill(push)})`;
  const deploying = deploymentOf(serviceId, commitSha);
  const fresh = { ...deployment, serviceId, named: { ref: commitSha } };
  const [[job]] = await db.batch([
    ...deploymentStatements(db, fresh, sql`${isAwaited} and not exists (${deploying})`),
    noteDeliveries(db, serviceId, sql`${isAwaited} and exists (${deploying})`, {
      id: sql`(${deploying})`,
      createdAt: deployment.createdAt,
    }),
    db.run(sql`delete from awaited_pushes where ${isStill(push)} and exists (${deploying})`),
    insertAudit(
      db,
      { ...audit, status: 200, at: deployment.createdAt },
      sql`select projects.tenant_id, deployments.id as resource_id from deployments
        join services on services.id = deployments.service_id join projects on projects.id = services.project_id
        where deployments.id = ${deployment.id}`,
    ),
  ]);
  return job?.runnerId;
}

export interface Look {
  push: Pick<AwaitedPush, 'serviceId' | 'deliveryId'>;
  state: AwaitedState;
  detail: string;
  at: number;
  /** `null`: it waits no longer. */
  nextLookAt: number | null;
  /** Id of the event that the push is not deployed, raised when it stops waiting. */
  eventId: string;
}

/** Writes what a look saw. */
export async function endLook(db: Database, { push, state, detail, at, nextLookAt, eventId }: Look) {
  const { serviceId } = push;
  const event: NewEvent = {
    type: 'deployment.withheld',
    ...{ id: eventId, serviceId, resourceId: serviceId, at },
    ...{ trigger: null, error: detail, audit: { status: 409 } },
  };
  const stopsWaiting = sql`${state === 'waiting' ? 0 : 1}
    and exists (select 1 from awaited_pushes where ${isStill(push)} and state = 'waiting')`;
  await db.batch([
    ...raiseEvent(db, event, stopsWaiting),
    db.update(awaitedPushes).set({ state, detail, lookedAt: at, nextLookAt }).where(isStill(push)),
  ]);
}

/** Ends a push whose service deploys another repository or branch now. */
export const deleteAwaitedPush = (db: Database, push: Pick<AwaitedPush, 'serviceId' | 'deliveryId'>) =>
  db.delete(awaitedPushes).where(isStill(push));

/** @returns false if no push waits */
export async function dropAwaited(db: Database, serviceId: string): Promise<boolean> {
  const { meta } = await dropAwaitedPush(db, serviceId);
  return meta.changes > 0;
}

/** Looks that follow each other faster than this would ask the git host for each of its events. */
const hastenedGapMs = 5_000;

/**
 * Brings the next look forward, because the git host reported a change of checks. A longer wait that the host requested stays.
 * @param about one service, or all services of a tenant that wait for a commit
 * @returns whether a push is due now
 */
export async function hastenLooks(
  db: Database,
  about: { serviceId: string } | { tenantId: string; commitSha: string },
  now: number,
): Promise<boolean> {
  const which =
    'serviceId' in about
      ? sql`service_id = ${about.serviceId}`
      : sql`commit_sha = ${about.commitSha} and service_id in (select services.id from services
          join projects on projects.id = services.project_id where projects.tenant_id = ${about.tenantId})`;
  const due = await db.all<{ isDue: number }>(sql`update awaited_pushes
    set next_look_at = min(next_look_at, max(coalesce(looked_at, 0) + ${hastenedGapMs}, created_at))
    where next_look_at <= coalesce(looked_at, created_at) + ${gapMaxMs} and ${which} returning next_look_at <= ${now} as isDue`);
  return due.some(({ isDue }) => isDue === 1);
}
