/**
 * Everything of a key's projects that is out of order now, as the rows of today say it: alerts are raised only after their time, and end later.
 * One statement for each kind, for the batch of the request.
 */
import { type SQL, sql } from 'drizzle-orm';
import type {
  ChannelFailureRow,
  DomainRow,
  FailedDataRow,
  FailedDeploymentRow,
  HostRow,
  OpenAlertRow,
  TroubledRow,
  WaitingJobRow,
  WithheldPushRow,
} from '../../domain/attention/found-rows.ts';
import type { Database } from '../sql/database.ts';
import { inScope, namedBy } from '../sql/scoped-store.ts';

/** Maximum number of rows of one kind. */
const rowsMax = 200;

/** The only project or service to look at; absent: all that the key sees. */
export interface AttentionScope {
  projectId?: string | undefined;
  serviceId?: string | undefined;
}

const ofService = sql.raw(
  'seen.projectId, projectName, projectSlug, seen.id as serviceId, seen.name as serviceName, seen.slug as serviceSlug, seen.kind as serviceKind',
);

/** The statements, for `Route.reads`. @param tokenId of the caller's key */
export function selectAttention(db: Database, tokenId: string, scope: AttentionScope) {
  const seen = seenBy(db, tokenId, scope);
  const isWhole = scope.projectId === undefined && scope.serviceId === undefined ? sql`true` : sql`false`;
  const all = <Row>(statement: SQL) => db.all<Row>(sql`${seen} ${statement} limit ${rowsMax}`);
  return {
    troubled:
      all<TroubledRow>(sql`select ${ofService}, runtime_mode as runtimeMode, crashed, reachable, trouble,
        seen.updated_at as updatedAt,
        (select coalesce(finished_at, created_at) from deployments where service_id = seen.id and status = 'running' limit 1) as liveSince,
        (select id from deployments where service_id = seen.id and status = 'superseded' and image_tag is not null
          order by created_at desc limit 1) as previousId
      from seen where not stopped and (crashed or trouble is not null)`),
    failed:
      all<FailedDeploymentRow>(sql`select ${ofService}, newest.id as deploymentId, newest.trigger, newest.commit_sha as commitSha,
        failure_message as error, coalesce(newest.finished_at, newest.created_at) as finishedAt,
        live.id as liveId, live.commit_sha as liveCommitSha, crashed, stopped
      from seen
      join deployments newest on newest.id = (select id from deployments where service_id = seen.id and status <> 'aborted'
        order by created_at desc limit 1)
      join jobs on jobs.id = newest.job_id
      left join deployments live on live.id = (select id from deployments where service_id = seen.id and status = 'running' limit 1)
      where newest.status = 'failed' order by finishedAt desc`),
    hosts: all<HostRow>(sql`select runners.id as runnerId, runners.name, connected_at as connectedAt,
        disconnected_at as disconnectedAt, count(*) as services
      from seen join runners on runners.id = seen.runner_id where revoked_at is null group by runners.id`),
    backups:
      all<FailedDataRow>(sql`select ${ofService}, backups.id, backups.error, coalesce(finished_at, backups.created_at) as at
      from seen join backups on backups.service_id = seen.id and backups.status = 'failed'
      where not exists (select 1 from backups later where later.service_id = seen.id and later.volume_id is backups.volume_id
        and later.status in ('succeeded', 'failed') and (later.created_at, later.id) > (backups.created_at, backups.id))`),
    drills:
      all<FailedDataRow>(sql`select ${ofService}, drills.id, drills.error, coalesce(drills.finished_at, drills.created_at) as at
      from seen join drills on drills.id = (select id from drills where service_id = seen.id and status in ('succeeded', 'failed')
        order by created_at desc limit 1)
      where drills.status = 'failed'`),
    withheld:
      all<WithheldPushRow>(sql`select ${ofService}, commit_sha as commitSha, detail, created_at as createdAt
      from seen join awaited_pushes on service_id = seen.id where state not in ('waiting', 'dropped')`),
    imageUpdates:
      all<FailedDataRow>(sql`select ${ofService}, seen.id, outcome ->> 'detail' as error, outcome ->> 'at' as at
      from seen join image_updates on service_id = seen.id where outcome ->> 'result' = 'failed' and attempt is null`),
    domains:
      all<DomainRow>(sql`select ${ofService}, domains.id as domainId, hostname, domains.status, is_proven as isVerified,
        dns_detail as detail, certificate, domains.created_at as createdAt
      from seen join domains on domains.service_id = seen.id
      where domains.status = 'pending' or not is_proven or certificate ->> 'state' = 'failed'`),
    waiting:
      all<WaitingJobRow>(sql`select ${ofService}, jobs.id as jobId, jobs.kind, min(queued_at) as queuedAt, runners.name as hostName
      from seen join jobs on jobs.service_id = seen.id and state = 'queued'
      join runners on runners.id = jobs.runner_id and connected_at is not null
      where not exists (select 1 from jobs active where active.service_id = seen.id and active.state = 'active')
      group by seen.id`),
    channels:
      db.all<ChannelFailureRow>(sql`select id as channelId, name, project_id as projectId, newest.last_failure as failure,
        (select min(created_at) from notifications where channel_id = notification_channels.id and delivered_at is null
          and attempts > 0 and created_at > coalesce((select max(created_at) from notifications
            where channel_id = notification_channels.id and delivered_at is not null), 0)) as since
      from notification_channels join notifications newest on newest.rowid = (select rowid from notifications
        where channel_id = notification_channels.id and (last_failure is not null or delivered_at is not null)
        order by created_at desc limit 1)
      where notification_channels.tenant_id = (select tenant_id from api_keys where ${namedBy(tokenId)} and all_projects)
        and enabled and newest.delivered_at is null and ${scope.serviceId === undefined ? sql`true` : sql`false`}
        and ${scope.projectId === undefined ? sql`true` : sql`project_id = ${scope.projectId}`} limit ${rowsMax}`),
    services: db.all<{ number: number }>(sql`${seen} select count(*) as number from seen`),
    alerts:
      all<OpenAlertRow>(sql`select alerts.id, rule, subject_id as subjectId, alerts.name, detail, raised_at as raisedAt,
        acknowledged_at as acknowledgedAt, ${ofService}
      from alerts left join seen on seen.id = alerts.service_id
      where alerts.tenant_id = (select tenant_id from api_keys where ${namedBy(tokenId)}) and resolved_at is null
        and (seen.id is not null or ${isWhole} and alerts.project_id = '' and alerts.runner_id = ''
          and exists (select 1 from api_keys where ${namedBy(tokenId)} and all_projects))
      order by raised_at desc`),
  };
}

/** The services that the key sees, as the table `seen`. */
function seenBy(db: Database, tokenId: string, { projectId, serviceId }: AttentionScope): SQL {
  return sql`with seen as materialized (select services.id, services.name, services.slug, services.project_id as projectId,
      projects.name as projectName, projects.slug as projectSlug, services.kind, runtime_mode, services.status, crashed, stopped,
      reachable, trouble, services.runner_id, services.updated_at
    from api_keys join projects on ${inScope(db, tokenId)} join services on services.project_id = projects.id
    where ${projectId === undefined ? sql`true` : sql`projects.id = ${projectId}`}
      and ${serviceId === undefined ? sql`true` : sql`services.id = ${serviceId}`})`;
}
