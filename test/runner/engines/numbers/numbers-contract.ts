/** What every engine promises of numbers: a row has the number that was sent, to its last digit, or the number is refused by its column. */
import { describe, expect, test } from 'vitest';
import type { DatabaseAnswerOf } from '../../../../protocol/database.ts';
import type { EngineSession } from '../../../../runner/engines/engine.ts';
import { EngineError } from '../../../../runner/engines/engine-error.ts';
import { engines } from '../../../../runner/engines/index.ts';
import type { DatabaseImage } from '../../../support/docker/use-databases.ts';

type Row = DatabaseAnswerOf<'rows'>['rows'][number];

export interface NumbersFixture {
  table: string;
  /** The only column of the key. */
  key: string;
  /** Rows that are read as they are written here. The keys of the first two are neighbours that a double holds as one number. */
  kept: [Row, Row, ...Row[]];
  /** Values of one column each, in a row that is like the first one otherwise. */
  refused: Row[];
  query: { text: string; rows: Row[] };
  /** Statements that are refused because reading them would lose something. */
  refusedQueries?: string[];
}

/** The numbers in a real database, for tests of files: what a file carries is read as it was written. */
export function storedNumbers(
  { table, kept }: NumbersFixture,
  { engine, env }: Pick<DatabaseImage, 'engine' | 'env'>,
  port: () => number,
) {
  async function withSession<T>(use: (session: EngineSession) => Promise<T>): Promise<T> {
    const session = await engines[engine].connect({ host: '127.0.0.1', port: port() }, env);
    try {
      return await use(session);
    } finally {
      await session.close();
    }
  }
  return {
    /** The table is there, and none of the rows. */
    put: () =>
      withSession(async (session) => {
        for (const values of kept) await session.insert({ action: 'insert', table, values });
      }),
    expectSame: () =>
      withSession(async (session) => {
        const { rows } = await session.rows({ action: 'rows', table, limit: 100, offset: 0 });
        expect(rows).toEqual(expect.arrayContaining(kept));
      }),
  };
}

/** Run inside the contract of the engine. */
export function numbersContract(fixture: NumbersFixture, session: () => EngineSession): void {
  const { table, key, kept, refused, query, refusedQueries = [] } = fixture;
  const [first] = kept;
  const keyOf = (row: Row) => ({ [key]: row[key] ?? null });
  const page = () => session().rows({ action: 'rows', table, limit: 100, offset: 0 });
  const ask = (text: string) =>
    session().query({ action: 'query', text }, { timeoutMs: 15_000, rowsMax: 100, bytesMax: 1_000_000 });
  async function assertRefused(asked: Promise<unknown>, why: string, names: string): Promise<void> {
    const error = await asked.then(
      (answer) => new Error(`answered ${JSON.stringify(answer)}`),
      (thrown: unknown) => thrown,
    );
    const refusal = error instanceof EngineError ? error.code : String(error);
    expect([why, refusal]).toEqual([why, 'invalid_request']);
    expect((error as Error).message).toContain(names);
  }

  describe('numbers', () => {
    test('numbers are inserted, read, written back and found as a key to their last digit', async () => {
      const before = (await page()).rows;
      for (const values of kept) await session().insert({ action: 'insert', table, values });
      expect((await page()).rows).toEqual(expect.arrayContaining(kept));
      for (const row of kept) {
        const { [key]: _, ...values } = row;
        await session().update({ action: 'update', table, primaryKey: keyOf(row), values });
      }
      for (const [place, row] of kept.entries()) {
        expect((await page()).rows).toEqual(expect.arrayContaining(kept.slice(place)));
        await session().delete({ action: 'delete', table, primaryKey: keyOf(row) });
      }
      expect((await page()).rows).toEqual(before);
    });

    test('a number that its column would round is refused by the name of the column, and stores nothing', async () => {
      const before = (await page()).rows;
      for (const wrong of refused) {
        const [name = ''] = Object.keys(wrong);
        const why = JSON.stringify(wrong);
        await assertRefused(
          session().insert({ action: 'insert', table, values: { ...first, ...wrong } }),
          why,
          name,
        );
      }
      expect((await page()).rows).toEqual(before);
      await session().insert({ action: 'insert', table, values: first });
      for (const wrong of refused.filter((one) => !(key in one))) {
        const [name = ''] = Object.keys(wrong);
        const changed = session().update({
          action: 'update',
          table,
          primaryKey: keyOf(first),
          values: wrong,
        });
        await assertRefused(changed, JSON.stringify(wrong), name);
      }
      expect((await page()).rows).toContainEqual(first);
      await session().delete({ action: 'delete', table, primaryKey: keyOf(first) });
    });

    test('the answer of a query has every digit', async () => {
      expect((await ask(query.text)).rows).toEqual(query.rows);
    });

    if (refusedQueries.length > 0) {
      test('a query that would be read differently than it is written is refused', async () => {
        for (const text of refusedQueries) await assertRefused(ask(text), text, 'The command');
      });
    }
  });
}
