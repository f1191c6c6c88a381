import type { SQLWrapper } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle, type SQLiteD1Session } from 'drizzle-orm/d1';
import { rowReader, type SelectedField } from './row-reader.ts';

/** D1 through drizzle, without drizzle's relational layer: stores write their own joins. */
export type Database = DrizzleD1Database;

export function openDatabase(binding: D1Database): Database {
  const db = drizzle(binding);
  // drizzle 0.45 can't bind parameters of `db.run` and `db.all` inside a batch: it expects a statement that only built queries have.
  const { run, all } = db;
  db.run = (query) => withStatement(binding, run.call(db, query));
  db.all = <Row>(query: SQLWrapper | string) => withStatement(binding, (all<Row>).call(db, query));
  readRowsFast((db as unknown as { session: Session }).session);
  return db;
}

/** Makes a raw query usable in `db.batch`. Preparing costs nothing, because D1 only sees the statement when it runs. */
function withStatement<Raw extends { getQuery(): { sql: string } }>(binding: D1Database, raw: Raw): Raw {
  return Object.assign(raw, { stmt: binding.prepare(raw.getQuery().sql) });
}

type Session = SQLiteD1Session<Record<string, never>, Record<string, never>>;

/** Uses our own row reader where possible (store/row-reader). */
function readRowsFast(session: Session): void {
  const { prepareQuery } = session;
  session.prepareQuery = (...[query, fields, ...rest]) => {
    const prepared = prepareQuery.call(session, query, fields, ...rest);
    const read = fields && rowReader(fields as readonly SelectedField[]);
    if (read) {
      prepared.mapAllResult = (answer: unknown, isFromBatch?: boolean) =>
        isFromBatch
          ? (answer as D1Result<object>).results.map((row) => read(Object.values(row)))
          : (answer as unknown[][]).map(read);
    }
    return prepared;
  };
}
