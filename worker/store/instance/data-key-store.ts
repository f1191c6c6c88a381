/** Data keys of projects, those of deleted projects included, and their replacement by new ones. */
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../sql/database.ts';
import { byOlder, type NamedDataKey } from './sealed-row-store.ts';

export interface DataKeyRow {
  projectId: string;
  tenantId: string;
  /** One wrapped key, or two while it is made anew. */
  wrapped: string;
  /** When the key that seals was made. */
  madeAt: number;
}

const dataKeys = sql.raw(`(
  select id as "projectId", tenant_id as "tenantId", wrapped_data_key as wrapped, coalesce(data_key_renewed_at, created_at) as "madeAt"
    from projects
  union all select row ->> 'id', row ->> 'tenant_id', row ->> 'wrapped_data_key', coalesce(row ->> 'data_key_renewed_at', row ->> 'created_at')
    from deleted_rows where source = 'projects')`);

export function listDataKeysOf(db: Database, tenantId: string): Promise<DataKeyRow[]> {
  return db.all<DataKeyRow>(sql`select * from ${dataKeys} where "tenantId" = ${tenantId}`);
}

/** Projects that have two data keys, in no order: one that can't be finished never stands before the others for long. */
export function listRenewedDataKeys(db: Database, limit: number): Promise<DataKeyRow[]> {
  return db.all<DataKeyRow>(
    sql`select * from ${dataKeys} where instr(wrapped, ' ') > 0 order by random() limit ${limit}`,
  );
}

export interface ChangedDataKey extends Pick<DataKeyRow, 'projectId' | 'wrapped' | 'madeAt'> {
  next: string;
}

/** Writes new data keys in one batch, except where a project's key has changed since it was read. */
export async function writeRenewedDataKeys(db: Database, changed: readonly ChangedDataKey[]): Promise<void> {
  await db.batch(changes(db, changed, sql`true`));
}

/**
 * Leaves a project the key that seals, unless more rows than this still need the one before, or its keys have changed since they were read.
 * @param unreadable number of rows that neither of the keys opens
 */
export function dropOldDataKey(
  db: Database,
  changed: ChangedDataKey,
  { keyName, unreadable }: { keyName: string; unreadable: number },
) {
  const needing: NamedDataKey[] = [{ projectId: changed.projectId, keyName }];
  return changes(db, [changed], sql`(select count(*) from ${byOlder(needing)}) <= ${unreadable}`);
}

function changes(db: Database, changed: readonly ChangedDataKey[], condition: SQL) {
  const again = sql`(select value ->> 'projectId' as project_id, value ->> 'wrapped' as seen, value ->> 'next' as next,
    value ->> 'madeAt' as made_at from json_each(${JSON.stringify(changed)})) as again`;
  return [
    db.run(sql`update projects set wrapped_data_key = next, data_key_renewed_at = made_at from ${again}
      where id = again.project_id and wrapped_data_key = again.seen and ${condition}`),
    db.run(sql`update deleted_rows set row = json_set(row, '$.wrapped_data_key', next, '$.data_key_renewed_at', made_at) from ${again}
      where source = 'projects' and row ->> 'id' = again.project_id and row ->> 'wrapped_data_key' = again.seen and ${condition}`),
  ] as const;
}
