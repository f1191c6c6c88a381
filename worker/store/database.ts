import type { SQLWrapper } from 'drizzle-orm';
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1';

/** D1 through drizzle, without drizzle's relational layer: stores write their joins. */
export type Database = DrizzleD1Database;

export function openDatabase(binding: D1Database): Database {
  const db = drizzle(binding);
  // drizzle 0.45 can't bind the parameters of `db.run` and `db.all` inside a batch: it looks for a statement that only built queries have.
  const { run, all } = db;
  db.run = (query) => withStatement(binding, run.call(db, query));
  db.all = <Row>(query: SQLWrapper | string) => withStatement(binding, (all<Row>).call(db, query));
  return db;
}

/** Makes a raw query fit for `db.batch`. Preparing costs nothing: D1 sees the statement when it runs. */
function withStatement<Raw extends { getQuery(): { sql: string } }>(binding: D1Database, raw: Raw): Raw {
  return Object.assign(raw, { stmt: binding.prepare(raw.getQuery().sql) });
}
