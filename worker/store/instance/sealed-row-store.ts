/** Rows that have to be sealed again, because ENCRYPTION_KEY or the data keys of projects are replaced. */
import { sql } from 'drizzle-orm';
import type { Database } from '../sql/database.ts';
import { type SealedColumn, type SealedRow, sealedColumns, sealedRows } from '../sql/sealed-columns.ts';

/** Name of the key that sealed a row. */
const keyName = sql.raw("substr(sealed, 1, instr(sealed, '.') - 1)");

/** Rows sealed by another ENCRYPTION_KEY, in random order, so that a row that can't be decrypted does not delay the others for long. */
export function listSealedByOthers(db: Database, current: string, limit: number): Promise<SealedRow[]> {
  return db.all<SealedRow>(
    sql`select * from ${sealedRows} where "projectId" is null and ${keyName} <> ${current} order by random() limit ${limit}`,
  );
}

/** Number of rows by the name of the ENCRYPTION_KEY that sealed them. */
export async function countSealedByKey(db: Database): Promise<Map<string, number>> {
  const rows = await db.all<{ name: string; count: number }>(
    sql`select ${keyName} as name, count(*) as count from ${sealedRows} where "projectId" is null group by name`,
  );
  return new Map(rows.map(({ name, count }) => [name, count]));
}

/** A project and the name of the data key that seals its secrets. */
export interface NamedDataKey {
  projectId: string;
  keyName: string;
}

/** Rows of these projects that are sealed with an older data key, in random order. */
export function listSealedByOlderDataKeys(
  db: Database,
  dataKeys: readonly NamedDataKey[],
  limit: number,
): Promise<SealedRow[]> {
  return db.all<SealedRow>(sql`select * from ${byOlder(dataKeys)} order by random() limit ${limit}`);
}

/** Number of rows from listSealedByOlderDataKeys. */
export async function countSealedByOlderDataKeys(
  db: Database,
  dataKeys: readonly NamedDataKey[],
): Promise<number> {
  const [row] = await db.all<{ count: number }>(sql`select count(*) as count from ${byOlder(dataKeys)}`);
  return row?.count ?? 0;
}

/** The rows of listSealedByOlderDataKeys as a query in parentheses. */
export function byOlder(dataKeys: readonly NamedDataKey[]) {
  return sql`(select rows.* from ${sealedRows} as rows
    join (select value ->> 'projectId' as id, value ->> 'keyName' as key_name from json_each(${JSON.stringify(dataKeys)})) as of_project
    on of_project.id = rows."projectId" where ${keyName} <> of_project.key_name)`;
}

/** Writes rows that were sealed again, except those that have changed since they were read. */
export async function replaceSealedRows(
  db: Database,
  rows: readonly (SealedRow & { resealed: string })[],
): Promise<void> {
  const [first, ...rest] = sealedColumns.flatMap((column, entry) => {
    const own = rows.filter((row) => row.entry === entry);
    return own.length === 0 ? [] : [replaceIn(db, column, own)];
  });
  if (first) await db.batch([first, ...rest]);
}

function replaceIn(
  db: Database,
  { table, column, id, text, where, cell }: SealedColumn,
  rows: readonly object[],
) {
  const written = cell ?? { table, column, value: 'resealed' };
  return db.run(sql`update ${sql.raw(written.table)} set ${sql.raw(written.column)} = ${sql.raw(written.value)}
    from (select value ->> 'rowId' as row_id, value ->> 'sealed' as seen, value ->> 'resealed' as resealed
      from json_each(${JSON.stringify(rows)})) as again
    where ${sql.raw(where ?? 'true')} and ${sql.raw(id)} = again.row_id and ${sql.raw(text)} = again.seen`);
}
