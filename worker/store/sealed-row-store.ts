/** Everything that is sealed with ENCRYPTION_KEY itself: the projects' data keys, and the secrets of the instance. */
import { type SQL, sql } from 'drizzle-orm';
import { bucketSecretName } from '../domain/backup-bucket.ts';
import { eventWebhookSecretName } from '../domain/event-webhook.ts';
import type { Database } from './database.ts';

/** A sealed cell, named as security/secret-places names it. */
export interface SealedRow {
  table: string;
  column: string;
  rowId: string;
  sealed: string;
}

interface SealedColumn {
  table: string;
  column: string;
  /** SQL of the row's id, of the ciphertext, and of the cell with another ciphertext `sealed`. */
  id: string;
  text: string;
  cell?: string;
  /** SQL of which rows hold one. */
  where?: string;
}

const columns: readonly SealedColumn[] = [
  { table: 'projects', column: 'wrapped_data_key', id: 'id', text: 'wrapped_data_key' },
  {
    table: 'deleted_rows',
    column: 'row',
    id: "row ->> 'id'",
    text: "row ->> 'wrapped_data_key'",
    cell: "json_set(row, '$.wrapped_data_key', resealed)",
    where: "source = 'projects'",
  },
  { table: 'dns_providers', column: 'sealed_credentials', id: 'id', text: 'sealed_credentials' },
  { table: 'ai_providers', column: 'sealed_credentials', id: 'id', text: 'sealed_credentials' },
  {
    table: 'settings',
    column: 'value',
    id: 'name',
    text: "value ->> '$'",
    cell: 'json_quote(resealed)',
    where: `name in ('${eventWebhookSecretName}', '${bucketSecretName}') and value <> 'null'`,
  },
  {
    table: 'idempotency_keys',
    column: 'response',
    id: "key_id || ' ' || idempotency_key",
    text: 'response',
    where: 'response is not null',
  },
];

/** Rows that another key than this sealed, in no order: one that can't be opened never stands before the others for long. */
export function listSealedByOthers(db: Database, keyName: string, limit: number): Promise<SealedRow[]> {
  return db.all<SealedRow>(
    sql`select * from (${sealedRows()}) where ${isByOther(keyName)} order by random() limit ${limit}`,
  );
}

/** Number of rows by the name of the key that sealed them. */
export async function countSealedByKey(db: Database): Promise<Map<string, number>> {
  const rows = await db.all<{ name: string; count: number }>(
    sql`select substr(sealed, 1, instr(sealed, '.') - 1) as name, count(*) as count from (${sealedRows()}) group by name`,
  );
  return new Map(rows.map(({ name, count }) => [name, count]));
}

/** Writes rows that were sealed again, except those that have changed since they were read. */
export async function replaceSealedRows(
  db: Database,
  rows: readonly (SealedRow & { resealed: string })[],
): Promise<void> {
  const [first, ...rest] = columns.flatMap((column) => {
    const own = rows.filter((row) => row.table === column.table && row.column === column.column);
    return own.length === 0 ? [] : [replaceIn(db, column, own)];
  });
  if (first) await db.batch([first, ...rest]);
}

function replaceIn(db: Database, { table, column, id, text, cell }: SealedColumn, rows: readonly object[]) {
  return db.run(sql`update ${sql.raw(table)} set ${sql.raw(column)} = ${sql.raw(cell ?? 'resealed')}
    from (select value ->> 'rowId' as row_id, value ->> 'sealed' as seen, value ->> 'resealed' as resealed
      from json_each(${JSON.stringify(rows)})) as again
    where ${sql.raw(id)} = again.row_id and ${sql.raw(text)} = again.seen`);
}

/** D1 allows five parts in a `union all`. */
const unionMax = 5;

const isByOther = (keyName: string): SQL => sql`substr(sealed, 1, instr(sealed, '.') - 1) <> ${keyName}`;

function sealedRows(): SQL {
  const selects = columns.map(({ table, column, id, text, where = 'true' }) =>
    sql.raw(
      `select '${table}' as "table", '${column}' as "column", ${id} as "rowId", ${text} as sealed from ${table} where ${where}`,
    ),
  );
  const groups = [selects.slice(0, unionMax), selects.slice(unionMax)];
  const unions = groups.map((group) => sql`select * from (${sql.join(group, sql` union all `)})`);
  return sql.join(unions, sql` union all `);
}
