/** What a new deployment does to the push of its service that waits for checks. */
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from './database.ts';

interface Deployment {
  id: string;
  jobId: string;
  serviceId: string;
  trigger: string;
  createdAt: number;
}

/**
 * The last statements of a new deployment. One by hand or by a push includes the push, so repetitions of its delivery lead to this deployment; a
 * rollback is a decision against the push. Restarts and restored data do not concern it.
 */
export function awaitedPushEnd(db: Database, { id, jobId, serviceId, trigger, createdAt }: Deployment) {
  const isQueued = sql`exists (select 1 from jobs where jobs.id = ${jobId})`;
  const includes = trigger === 'manual' || trigger === 'webhook';
  return [
    noteDeliveries(db, serviceId, sql`${includes ? 1 : 0} and ${isQueued}`, { id: sql`${id}`, createdAt }),
    includes
      ? db.run(sql`delete from awaited_pushes where service_id = ${serviceId} and ${isQueued}`)
      : dropAwaitedPush(db, serviceId, sql`${trigger === 'rollback' ? 1 : 0} and ${isQueued}`),
  ] as const;
}

/** The awaited push and those that it replaced have this deployment, if the condition holds. */
export const noteDeliveries = (
  db: Database,
  serviceId: string,
  condition: SQL,
  deployment: { id: SQL; createdAt: number },
) =>
  db.run(sql`insert into git_webhook_deliveries (service_id, delivery_id, commit_sha, deployment_id, created_at)
    select ${serviceId}, delivery_id, commit_sha, ${deployment.id}, ${deployment.createdAt} from (
      select delivery_id, commit_sha from awaited_pushes where service_id = ${serviceId}
      union all select value ->> 'deliveryId', value ->> 'commitSha' from awaited_pushes, json_each(replaced) where service_id = ${serviceId})
    where ${condition} on conflict (service_id, delivery_id) do nothing`);

/** The row stays, so that a repetition of the delivery changes nothing. */
export const dropAwaitedPush = (db: Database, serviceId: string, condition: SQL = sql`true`) =>
  db.run(sql`update awaited_pushes set state = 'dropped', next_look_at = null
    where service_id = ${serviceId} and state <> 'dropped' and ${condition}`);
