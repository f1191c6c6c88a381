/** The permanent removal of deletions: the deletions that are due, and the batch that ends each. */
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { Initiator } from '../../domain/access/initiator.ts';
import { insertAudit, raiseDeletionEvent } from '../alerts/event-store.ts';
import { deletions } from '../schema/deletions.ts';
import type { Database } from '../sql/database.ts';
import type { DeletionRow } from './deletion-store.ts';

/** Condition on `deletions`: their time is over, or the time of the deletion that they are part of. */
export const isDue = (at: number): SQL => {
  const due = sql`(select due.resource_id from deletions due where due.restorable_until <= ${at})`;
  return sql`(restorable_until <= ${at} or project_id in ${due} or service_id in ${due})`;
};

export const everyPurge = sql`true`;

/** Condition: no other purge or restore has ended this deletion. */
export const isLeft = (resourceId: string): SQL =>
  sql`exists (select 1 from deletions where resource_id = ${resourceId})`;

/** Marks deletions, so that they can't be restored any more. */
export function claimPurge(db: Database, condition: SQL, at: number) {
  return db
    .update(deletions)
    .set({ purgingAt: at })
    .where(and(isNull(deletions.purgingAt), condition));
}

/** Deletions whose purge has begun, in random order: those that a bucket always refuses must not delay the others. */
export function selectPurging(db: Database, condition: SQL, limit: number) {
  return db
    .select()
    .from(deletions)
    .where(and(sql`${deletions.purgingAt} is not null`, condition))
    .orderBy(sql`random()`)
    .limit(limit);
}

/**
 * The last statements of a purge. The tasks, logs and audit entry are written only if the deletion still exists.
 * @param end.auditId id of the audit entry; the event has the same characters
 * @param end.by who purges
 */
export function endPurge(
  db: Database,
  { resourceId, kind }: Pick<DeletionRow, 'resourceId' | 'kind'>,
  { auditId, by, at }: { auditId: string; by: Initiator; at: number },
) {
  return [
    db.run(sql`insert or ignore into log_purges (stream_name, created_at)
      select row ->> 'id', ${at} from deleted_rows where resource_id = ${resourceId} and source in ('deployments', 'runs')`),
    insertAudit(
      db,
      { id: auditId, route: `${kind}.purged`, status: 200, by, at },
      sql`select tenant_id, resource_id from deletions where resource_id = ${resourceId}`,
    ),
    raiseDeletionEvent(db, { id: auditId.replace('aud_', 'evt_'), resourceId, what: 'purged', by, at }),
    db.delete(deletions).where(eq(deletions.resourceId, resourceId)),
  ] as const;
}

/** The deletion itself, and deletions of its parts, which could not be restored without it. */
export const withItsParts = (resourceId: string): SQL =>
  sql`(resource_id = ${resourceId} or service_id = ${resourceId} or project_id = ${resourceId})`;
