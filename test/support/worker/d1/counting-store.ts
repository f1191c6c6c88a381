/** A D1 that adds up the rows written by its statements, index entries included, as the platform counts and bills them. */
import { env } from 'cloudflare:workers';
import { type Database, openDatabase } from '../../../../worker/store/sql/database.ts';

export function countingStore(): { db: Database; rowsWritten(): number } {
  let rows = 0;
  const real = new WeakMap<object, D1PreparedStatement>();
  const count = <Result extends D1Response>(result: Result): Result => {
    rows += result.meta.rows_written;
    return result;
  };
  const counted = (statement: D1PreparedStatement): D1PreparedStatement => {
    const run = async () => count(await statement.run<Record<string, unknown>>());
    const wrapped = new Proxy(statement, {
      get(target, name) {
        if (name === 'bind') return (...values: unknown[]) => counted(target.bind(...values));
        if (name === 'run' || name === 'all') return run;
        // `raw` does not report written rows; the result of a write never has two columns with the same name.
        if (name === 'raw') return async () => (await run()).results.map((row) => Object.values(row));
        return Reflect.get(target, name);
      },
    });
    real.set(wrapped, statement);
    return wrapped;
  };
  const binding = new Proxy(env.DB, {
    get(target, name) {
      if (name === 'prepare') {
        return (text: string) => {
          const statement = target.prepare(text);
          return /^\s*select/i.test(text) ? statement : counted(statement);
        };
      }
      if (name === 'batch') {
        return async (statements: D1PreparedStatement[]) =>
          (await target.batch(statements.map((one) => real.get(one) ?? one))).map(count);
      }
      return Reflect.get(target, name);
    },
  });
  return { db: openDatabase(binding), rowsWritten: () => rows };
}
