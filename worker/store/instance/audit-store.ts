/** The audit log and the counts of failed sign-ins: append-only, read by the operator, pruned by age. */
import { and, eq, gte, lt, lte, or, type SQL, sql } from 'drizzle-orm';
import { auditLog, failedSignIns } from '../schema/audit.ts';
import type { Database } from '../sql/database.ts';
import { keysetOf, type Page } from '../sql/keyset.ts';

export type AuditRow = typeof auditLog.$inferSelect;
export type FailedSignInRow = typeof failedSignIns.$inferSelect;

/** All given conditions apply together. */
export interface AuditFilter {
  /** Id of a member, a key or a session: entries of this actor, and of those that acted for it. */
  actor?: string | undefined;
  tenantId?: string | SQL | undefined;
  status?: number | undefined;
  /** Epoch milliseconds, both inclusive. */
  since?: number | undefined;
  until?: number | undefined;
}

export interface AuditPage extends Page {
  /** Instead of a cursor: the id of an entry; only older ones are returned. */
  before?: string | undefined;
}

export async function insertAuditEntry(db: Database, row: AuditRow): Promise<void> {
  await db.insert(auditLog).values(row);
}

/**
 * Entries, newest first; of two with equal times, the one written later is newer.
 * @param page.before id of an entry: only older ones are returned
 */
export function selectAuditEntries(db: Database, filter: AuditFilter, { before, ...page }: AuditPage) {
  const { after, orderBy, limit } = keysetOf({ at: auditLog.createdAt, key: auditLog.id }, 'newest', page);
  const { actor, tenantId, status, since, until } = filter;
  return db
    .select()
    .from(auditLog)
    .where(
      and(
        actor === undefined ? undefined : or(eq(auditLog.actor, actor), sql`acted_by ->> 'id' = ${actor}`),
        tenantId === undefined ? undefined : eq(auditLog.tenantId, tenantId),
        status === undefined ? undefined : eq(auditLog.status, status),
        since === undefined ? undefined : gte(auditLog.createdAt, since),
        until === undefined ? undefined : lte(auditLog.createdAt, until),
        before === undefined ? after : isOlderThan(before, tenantId),
      ),
    )
    .orderBy(...orderBy)
    .limit(limit);
}

/** An entry of another tenant is not found, so its time is not revealed. */
function isOlderThan(entryId: string, tenantId: AuditFilter['tenantId']): SQL {
  const isOfTenant = tenantId === undefined ? sql`true` : sql`cursor.tenant_id = ${tenantId}`;
  return sql`(audit_log.created_at, audit_log.rowid) <
    (select cursor.created_at, cursor.rowid from audit_log cursor where cursor.id = ${entryId} and ${isOfTenant})`;
}

/** One row if the entry exists, and belongs to the tenant. */
export function selectAuditEntryId(db: Database, entryId: string, tenantId: AuditFilter['tenantId']) {
  return db
    .select({ id: auditLog.id })
    .from(auditLog)
    .where(
      and(eq(auditLog.id, entryId), tenantId === undefined ? undefined : eq(auditLog.tenantId, tenantId)),
    );
}

/** Adds to the counts per minute and address; one statement for any number of rows (D1 allows 100 parameters). */
export async function addFailedSignIns(db: Database, rows: readonly FailedSignInRow[]): Promise<void> {
  await db.run(sql`
    insert into failed_sign_ins (minute, address_hash, count)
    select value ->> 'minute', value ->> 'addressHash', value ->> 'count' from json_each(${JSON.stringify(rows)})
    where true
    on conflict (minute, address_hash) do update set count = count + excluded.count`);
}

/** A page of the minutes with failed sign-ins, newest first. @param since epoch minute, inclusive */
export function selectFailedSignIns(db: Database, since: number, page: Page) {
  const columns = { at: failedSignIns.minute, tie: failedSignIns.addressHash };
  const { after, orderBy, limit } = keysetOf(columns, 'newest', page);
  return db
    .select()
    .from(failedSignIns)
    .where(and(gte(failedSignIns.minute, since), after))
    .orderBy(...orderBy)
    .limit(limit);
}

/** @param limit rows per run: a long backlog is deleted in parts, because D1 limits a statement to 30 s */
export function pruneAuditEntries(db: Database, before: number, limit: number) {
  return db.run(sql`delete from audit_log where rowid in
    (select rowid from audit_log where created_at < ${before} order by created_at limit ${limit})`);
}

/** @param before epoch minute */
export function pruneFailedSignIns(db: Database, before: number) {
  return db.delete(failedSignIns).where(lt(failedSignIns.minute, before));
}
