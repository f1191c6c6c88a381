import { afterAll, beforeAll, expect } from 'vitest';
import type { DatabaseAnswerOf } from '../../../protocol/database.ts';
import type {
  BrowsableEngine,
  EngineAddress,
  EngineEnvironment,
  EngineSession,
  QueryCaps,
} from '../../../runner/engines/engine.ts';
import { EngineError } from '../../../runner/engines/engine-error.ts';
import { type EngineHost, startEngine } from './engine-container.ts';

/** The same limits as for queries of the host. */
const caps: QueryCaps = { timeoutMs: 15_000, rowsMax: 1_000, bytesMax: 1_000_000 };

export interface UsedEngine {
  host: EngineHost;
  session: EngineSession;
  rows(table: string, limit?: number, offset?: number): Promise<DatabaseAnswerOf<'rows'>>;
  query(text: string): Promise<DatabaseAnswerOf<'query'>>;
  insert(
    table: string,
    values: DatabaseAnswerOf<'rows'>['rows'][number],
  ): Promise<DatabaseAnswerOf<'insert'>>;
  /** Rows of each table by its id. */
  counts(): Promise<Record<string, number>>;
}

/** A server with a session for the tests of a `describe`; `host` and `session` exist when the tests run. */
export function useEngine(given: {
  engine: BrowsableEngine;
  image: string;
  env: EngineEnvironment;
  fill(address: EngineAddress): Promise<void>;
}): UsedEngine {
  const used = {
    rows: (table, limit = 50, offset = 0) => used.session.rows({ action: 'rows', table, limit, offset }),
    query: (text) => used.session.query({ action: 'query', text }, caps),
    insert: (table, values) => used.session.insert({ action: 'insert', table, values }),
    counts: async () => {
      const { tables } = await used.session.tables({ action: 'tables' });
      return Object.fromEntries(tables.map(({ id, rowCount }) => [id, rowCount]));
    },
  } as UsedEngine;
  beforeAll(async () => {
    used.host = await startEngine(given.engine, given.image, given.env);
    await given.fill(used.host.address);
    used.session = await given.engine.connect(used.host.address, given.env);
  });
  afterAll(async () => {
    await used.session?.close();
    await used.host?.remove();
  });
  return used;
}

/** The refusal of the query; an answer fails the test. */
export async function refused(asked: Promise<unknown>): Promise<EngineError> {
  const error = await asked.then(
    (answer) => expect.unreachable(`answered: ${JSON.stringify(answer)}`),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(EngineError);
  return error as EngineError;
}
