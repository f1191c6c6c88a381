/** Data keys of projects, including deleted ones, and their replacement by new keys. */
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../sql/database.ts';
import { byOlder, type NamedDataKey } from './sealed-row-store.ts';

export interface DataKeyRow {
  projectId: string;
  tenantId: string;
  /** One wrapped key, or two during a replacement. */
  wrapped: string;
  /** Creation time of the key that seals. */
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

/** Projects with two data keys, in random order, so that one that can't be finished does not delay the others for long. */
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
 * Removes a project's previous data key, unless more rows than `unreadable` still need it, or the keys have changed since they were read.
 * @param unreadable number of rows that neither key can decrypt
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
