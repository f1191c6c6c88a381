/** A D1 that fails: before a statement reaches it, or after the commit with a lost answer. */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { type Database, openDatabase } from '../../../../worker/store/sql/database.ts';
import { hubOf } from '../fake-runner.ts';

const down = () => new Error('D1_ERROR: Network connection lost.');

/** Every access throws. */
export function storeThatIsDown(): Database {
  const refuse = () => Promise.reject(down());
  const statement = (prepared: D1PreparedStatement): D1PreparedStatement =>
    new Proxy(prepared, {
      get: (target, name) =>
        name === 'bind' ? (...values: unknown[]) => statement(target.bind(...values)) : refuse,
    });
  return openDatabase(
    new Proxy(env.DB, {
      get: (binding, name) =>
        name === 'prepare' ? (text: string) => statement(binding.prepare(text)) : refuse,
    }),
  );
}

/** Batches are committed, but their answers are lost. */
export function storeThatLosesAnswers(): Database {
  return openDatabase(
    new Proxy(env.DB, {
      get(binding, name) {
        if (name !== 'batch') return Reflect.get(binding, name).bind(binding);
        return async (statements: D1PreparedStatement[]) => {
          await binding.batch(statements);
          throw down();
        };
      },
    }),
  );
}

/** The first batch that inserts into the table is committed, but its answer is lost. All others succeed. */
export function storeThatLosesAnswerOf(table: string): Database {
  const insert = new RegExp(`^\\s*insert into "?${table}"?`);
  const inserting = new WeakSet<D1PreparedStatement>();
  let isLost = false;
  const noted = (statement: D1PreparedStatement, query: string): D1PreparedStatement => {
    if (insert.test(query)) inserting.add(statement);
    const { bind } = statement;
    statement.bind = (...values) => noted(bind.apply(statement, values), query);
    return statement;
  };
  return openDatabase(
    new Proxy(env.DB, {
      get(binding, name) {
        if (name === 'prepare') return (query: string) => noted(binding.prepare(query), query);
        if (name !== 'batch') return Reflect.get(binding, name).bind(binding);
        return async (statements: D1PreparedStatement[]) => {
          const results = await binding.batch(statements);
          if (isLost || !statements.some((one) => inserting.has(one))) return results;
          isLost = true;
          throw down();
        };
      },
    }),
  );
}

/** Makes the hub use this store, until the hub's memory is lost. */
export async function setHubStore(runnerId: string, db: Database): Promise<void> {
  await runInDurableObject(hubOf(runnerId), (hub) => {
    hub.deps = { ...hub.deps, db };
  });
}
