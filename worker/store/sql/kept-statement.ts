/**
 * Statements of frequent requests, whose SQL text is built once per isolate: drizzle needs more time to build a wide select than SQLite to
 * run it.
 */
import { fillPlaceholders, type Placeholder, sql } from 'drizzle-orm';
import type { RunnableQuery } from 'drizzle-orm/runnable-query';
import type { Database } from './database.ts';

/** Placeholder for a text that is only known when the statement runs. */
export type Later = Placeholder;

type Statement<Rows> = RunnableQuery<Rows, 'sqlite'>;

/**
 * @param build builds the statement once, with placeholders, so it can't depend on the values of a call
 * @returns a function that creates a statement for `db.batch`
 */
export function keptStatement<Values extends Later[], Rows>(
  build: (db: Database, ...values: Values) => Statement<Rows>,
): (db: Database, ...values: { [Index in keyof Values]: string }) => Statement<Rows> {
  let kept: Prepared | undefined;
  return (db, ...values) => {
    kept ??= preparedBy(build(db, ...(values.map((_, index) => sql.placeholder(String(index))) as Values)));
    return statementOf(kept, bindingOf(db), values) as unknown as Statement<Rows>;
  };
}

/** The interface that drizzle's `batch` expects of a statement. */
interface Prepared {
  stmt: D1PreparedStatement;
  getQuery(): { sql: string; params: unknown[] };
  mapResult(answer: unknown, isFromBatch: boolean): unknown;
}

function statementOf(kept: Prepared, binding: D1Database, values: readonly string[]) {
  const { sql: text, params } = kept.getQuery();
  const query = { sql: text, params: fillPlaceholders(params, { ...values }) };
  return {
    _prepare: (): Prepared => ({
      stmt: binding.prepare(text),
      getQuery: () => query,
      mapResult: (answer, isFromBatch) => kept.mapResult(answer, isFromBatch),
    }),
  };
}

const preparedBy = (statement: object) => (statement as { _prepare(): Prepared })._prepare();
const bindingOf = (db: Database) => (db as unknown as { $client: D1Database }).$client;
