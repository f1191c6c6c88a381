import type { SQLWrapper } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle, type SQLiteD1Session } from 'drizzle-orm/d1';
import { rowReader, type SelectedField } from './row-reader.ts';

/** D1 through drizzle, without drizzle's relational layer: stores write their own joins. */
export type Database = DrizzleD1Database;

export function openDatabase(binding: D1Database): Database {
  const db = drizzle(binding);
  // In a batch, drizzle 0.45 can't bind parameters of `db.run` and `db.all`: it expects a statement that only built queries have.
  const { run, all } = db;
  db.run = (query) => withStatement(binding, run.call(db, query));
  db.all = <Row>(query: SQLWrapper | string) => withStatement(binding, (all<Row>).call(db, query));
  readRowsFast((db as unknown as { session: Session }).session);
  return db;
}

/** Makes a raw query usable in `db.batch`. Preparing costs nothing, because D1 sees the statement only when it runs. */
function withStatement<Raw extends { getQuery(): { sql: string } }>(binding: D1Database, raw: Raw): Raw {
  return Object.assign(raw, { stmt: binding.prepare(raw.getQuery().sql) });
}

type Session = SQLiteD1Session<Record<string, never>, Record<string, never>>;

/** Uses our own row reader where possible (store/row-reader). */
function readRowsFast(session: Session): void {
  const { prepareQuery } = session;
  session.prepareQuery = (...[query, fields, ...rest]) => {
    const prepared = prepareQuery.call(session, query, fields, ...rest);
    if (!fields) return prepared;
    const read = rowReader(fields as readonly SelectedField[]);
    const { mapAllResult } = prepared;
    prepared.mapAllResult = (answer: unknown, isFromBatch?: boolean) => {
      if (isFromBatch) checkNames((answer as D1Result<object>).results[0], fields.length, query.sql);
      if (!read) return mapAllResult.call(prepared, answer, isFromBatch);
      return isFromBatch
        ? (answer as D1Result<object>).results.map((row) => read(Object.values(row)))
        : (answer as unknown[][]).map(read);
    };
    return prepared;
  };
}

/**
 * D1 answers a batch with objects. Two columns with the same name are one property, and each later value would be assigned to the previous
 * field. A name of digits would be the first property.
 * @throws Error
 */
function checkNames(row: object | undefined, count: number, text: string): void {
  if (row === undefined) return;
  const names = Object.keys(row);
  if (names.length === count && !names.some((name) => /^\d+$/.test(name))) return;
  throw new Error(
    `Each column of a statement in a batch needs a name of its own: give it one with .as(): ${text}`,
  );
}
