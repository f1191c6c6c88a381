/** What every database engine promises, asked of the real server. A file per engine gives its fixture; the questions are the same. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DatabaseAnswerOf, DatabaseRefusal } from '../../../protocol/database.ts';
import type {
  BrowsableEngine,
  EngineAddress,
  EngineEnvironment,
  EngineSession,
  QueryCaps,
} from '../../../runner/engines/engine.ts';
import { EngineError } from '../../../runner/engines/engine-error.ts';
import { type EngineHost, startEngine } from '../../support/docker/engine-container.ts';
import { type NumbersFixture, numbersContract } from './numbers/numbers-contract.ts';

type Rows = DatabaseAnswerOf<'rows'>;
type Row = Rows['rows'][number];
type Columns = Rows['columns'];

/** What an engine's interface lacks: the refusal that it gives instead. */
export interface Lacks {
  lacks: DatabaseRefusal;
}

export interface EngineFixture {
  engine: BrowsableEngine;
  image: string;
  /** The password holds quotes, a backslash and a letter outside ASCII where the engine takes them. */
  env: EngineEnvironment;
  /** The text of the password, which no error may show. */
  password: string;
  /** Another environment whose password is wrong. */
  wrongEnv: EngineEnvironment;
  /** Makes everything below through the engine's own driver, not through the session under test. */
  fill(address: EngineAddress, env: EngineEnvironment): Promise<void>;
  /** Connections of clients that the server counts now, without the one that asks. */
  connections(address: EngineAddress, env: EngineEnvironment): Promise<number>;

  /** Of at least 5 rows, in the order of its key. */
  ordered: { table: string; schema: string; columns: Columns; rows: Row[]; total: number };
  /** Every type and value that a driver may bend; read back equal. */
  awkward: { table: string; columns: Columns; rows: Row[] };
  /** A name full of quotes, blanks and dots, in the catalog as it is. */
  odd: { table: string; rows: Row[] };
  /** Tables beyond these: views, partitions, without a key, unicode. Each with its exact count. */
  others: { table: string; rowCount: number }[];

  edit: {
    table: string;
    insert: { values: Row; id: string | number | null };
    /** The new row by its key, how it is read back, a change of it, and how it is read then. */
    primaryKey: Row;
    inserted: Row;
    update: { values: Row; reads: Row } | Lacks;
    missing: Row;
    /** A key that isn't the table's. */
    otherKey: Row;
    /** undefined: the engine's tables have no fixed columns. */
    unknownColumn: Row | undefined;
    /** A row that breaks a constraint, and the constraint's name in the sentence; undefined: the engine has none. */
    conflict: { values: Row; names: string } | undefined;
  };

  numbers: NumbersFixture;

  query: {
    read: { text: string; columns: { name: string; type: string }[]; rows: Row[] };
    write: { text: string; rowCount: number };
    /** An error in the statement, and what the sentence must hold of the engine's words, the position among them. */
    wrong: { text: string; says: RegExp };
    /** More than one statement. */
    several: string;
    /** Gives more than 1,000 rows. */
    manyRows: string;
    /** Gives more than 1 MB in few rows. */
    manyBytes: string;
    /** Would run for a minute; undefined when no single command can: say why in the fixture. */
    slow: string | undefined;
    /** What reaches outside the database, or around its user. Each is refused, and nothing happens. */
    denied: string[];
  };
}

const caps: QueryCaps = { timeoutMs: 15_000, rowsMax: 1_000, bytesMax: 1_000_000 };
/** A server needs a moment to notice that a connection is gone, or to answer again. */
const noticed = { timeout: 20_000 };

/** Run inside a test file of the engine. */
export function engineContract(fixture: EngineFixture): void {
  const { engine, env, ordered, awkward, odd, edit, query } = fixture;
  const { unknownColumn, conflict } = edit;
  const { slow } = query;
  let host: EngineHost;
  let session: EngineSession;

  beforeAll(async () => {
    host = await startEngine(engine, fixture.image, env);
    await fixture.fill(host.address, env);
    session = await engine.connect(host.address, env);
  });
  afterAll(async () => {
    await session?.close();
    await host?.remove();
  });

  const page = (table: string, limit = 50, offset = 0) =>
    session.rows({ action: 'rows', table, limit, offset });
  const ask = (text: string, limits = caps) => session.query({ action: 'query', text }, limits);
  /** The refusal's code and sentence; no sentence shows the password. */
  async function refusal(asked: Promise<unknown>): Promise<{ code: DatabaseRefusal; message: string }> {
    const error = await asked.then(
      (answer) => expect.unreachable(`answered: ${JSON.stringify(answer)}`),
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(EngineError);
    const { code, message } = error as EngineError;
    expect(message).not.toContain(fixture.password);
    return { code, message };
  }

  describe('connect', () => {
    test('a wrong password is refused in a sentence without it', async () => {
      const asked = engine
        .connect(host.address, fixture.wrongEnv)
        .then((wrong) => wrong.tables({ action: 'tables' }));
      expect((await refusal(asked)).code).toBe('unavailable');
    });

    test('a port without a listener is unavailable', async () => {
      const nowhere = { host: '127.0.0.1', port: 1 };
      const asked = engine.connect(nowhere, env).then((none) => none.tables({ action: 'tables' }));
      expect((await refusal(asked)).code).toBe('unavailable');
    });
  });

  describe('tables', () => {
    test('each table is listed once, with its schema and its exact count', async () => {
      const { tables } = await session.tables({ action: 'tables' });
      const counts = new Map(tables.map(({ id, rowCount }) => [id, rowCount]));
      expect(counts.size).toBe(tables.length);
      expect(counts.get(ordered.table)).toBe(ordered.total);
      expect(counts.get(awkward.table)).toBe(awkward.rows.length);
      expect(counts.get(odd.table)).toBe(odd.rows.length);
      for (const { table, rowCount } of fixture.others)
        expect([table, counts.get(table)]).toEqual([table, rowCount]);
      expect(tables.find(({ id }) => id === ordered.table)?.schema).toBe(ordered.schema);
    });

    test('each listed table can be read', async () => {
      const { tables } = await session.tables({ action: 'tables' });
      for (const { id } of tables) expect((await page(id, 1)).columns.length).toBeGreaterThan(0);
    });
  });

  describe('rows', () => {
    test('rows come in the order of the key, with columns, types and the total', async () => {
      expect(await page(ordered.table)).toMatchObject({
        columns: ordered.columns,
        rows: ordered.rows.slice(0, 50),
        total: ordered.total,
      });
    });

    test('limit and offset page without a gap, and beyond the end there are none', async () => {
      const two = await page(ordered.table, 2, 0);
      const more = await page(ordered.table, 2, 2);
      expect([...two.rows, ...more.rows]).toEqual(ordered.rows.slice(0, 4));
      expect(await page(ordered.table, 2, ordered.total + 10)).toMatchObject({
        rows: [],
        total: ordered.total,
      });
    });

    test('every value is read as it was stored', async () => {
      const read = await page(awkward.table);
      expect(read.columns).toEqual(awkward.columns);
      expect(read.rows).toEqual(awkward.rows);
    });

    test('rows of a table with an odd name are read', async () => {
      expect((await page(odd.table)).rows).toEqual(odd.rows);
    });

    test('a table that is not in the catalog is not found: statements in a name are not run', async () => {
      const { table } = ordered;
      for (const name of [
        `${table}x`,
        `${table}; DROP TABLE x`,
        `${table}" --`,
        '',
        '.',
        `${table}\u0000`,
        '*',
      ]) {
        expect([name, (await refusal(page(name))).code]).toEqual([name, 'not_found']);
      }
    });
  });

  describe('edit', () => {
    const key = { table: edit.table, primaryKey: edit.primaryKey };
    const find = async (row: Row) => {
      const { rows } = await page(edit.table, 500);
      return rows.filter((one) => JSON.stringify(one) === JSON.stringify(row)).length;
    };

    test('a row is inserted with its key in the answer, changed, and deleted; each exactly once', async () => {
      const before = (await page(edit.table)).total;
      const { values, id } = edit.insert;
      expect(await session.insert({ action: 'insert', table: edit.table, values })).toEqual({ id });
      expect(await find(edit.inserted)).toBe(1);
      expect((await page(edit.table)).total).toBe(before + 1);
      if ('lacks' in edit.update) {
        const asked = session.update({ action: 'update', ...key, values });
        expect((await refusal(asked)).code).toBe(edit.update.lacks);
      } else {
        await session.update({ action: 'update', ...key, values: edit.update.values });
        expect(await find(edit.update.reads)).toBe(1);
      }
      await session.delete({ action: 'delete', ...key });
      expect((await page(edit.table)).total).toBe(before);
    });

    test('a key that no row has is not found', async () => {
      const asked = session.delete({ action: 'delete', table: edit.table, primaryKey: edit.missing });
      expect((await refusal(asked)).code).toBe('not_found');
    });

    test("a key that isn't the table's, or none, is refused, and nothing is deleted", async () => {
      const before = (await page(edit.table)).total;
      for (const primaryKey of [edit.otherKey, {}]) {
        const asked = session.delete({ action: 'delete', table: edit.table, primaryKey });
        expect((await refusal(asked)).code).toBe('invalid_request');
      }
      expect((await page(edit.table)).total).toBe(before);
    });

    if (unknownColumn) {
      test('an unknown column is refused by its name', async () => {
        const asked = session.insert({ action: 'insert', table: edit.table, values: unknownColumn });
        const { code, message } = await refusal(asked);
        expect(code).toBe('invalid_request');
        expect(Object.keys(unknownColumn).some((name) => message.includes(name))).toBe(true);
      });
    }

    if (conflict) {
      test('a broken constraint is a conflict that names it', async () => {
        const asked = session.insert({ action: 'insert', table: edit.table, values: conflict.values });
        const { code, message } = await refusal(asked);
        expect(code).toBe('conflict');
        expect(message).toContain(conflict.names);
      });
    }

    test('an unknown table is not found', async () => {
      const asked = session.insert({
        action: 'insert',
        table: `${edit.table}_none`,
        values: edit.insert.values,
      });
      expect((await refusal(asked)).code).toBe('not_found');
    });
  });

  numbersContract(fixture.numbers, () => session);

  describe('query', () => {
    test('a query returns columns with types, and rows', async () => {
      const { read } = query;
      expect(await ask(read.text)).toMatchObject({
        columns: read.columns,
        rows: read.rows,
        rowCount: read.rows.length,
        truncated: false,
      });
    });

    test('a statement that changes data reports how many rows it changed', async () => {
      expect(await ask(query.write.text)).toMatchObject({ rowCount: query.write.rowCount, truncated: false });
    });

    test('an error quotes the engine, and the session stays usable', async () => {
      const { code, message } = await refusal(ask(query.wrong.text));
      expect(code).toBe('invalid_request');
      expect(message).toMatch(query.wrong.says);
      expect((await ask(query.read.text)).rows).toEqual(query.read.rows);
    });

    test('an empty text and several statements are refused', async () => {
      for (const text of ['', '  ', query.several]) {
        expect([text, (await refusal(ask(text))).code]).toEqual([text, 'invalid_request']);
      }
    });

    test('an answer stops at 1,000 rows and at 1 MB, and is marked as truncated', async () => {
      const many = await ask(query.manyRows);
      expect([many.rows.length, many.truncated]).toEqual([1_000, true]);
      const large = await ask(query.manyBytes);
      expect(large.truncated).toBe(true);
      expect(JSON.stringify(large.rows).length).toBeLessThan(1_100_000);
    });

    if (slow !== undefined) {
      test('a statement that takes too long is ended on the server, and others are answered meanwhile', async () => {
        const asked = refusal(ask(slow, { ...caps, timeoutMs: 1_500 }));
        expect((await page(ordered.table, 1)).rows).toHaveLength(1);
        const { code, message } = await asked;
        expect(code).toBe('invalid_request');
        expect(message).toMatch(/1\.5 s/);
      });
    }

    test('a statement that reaches outside the database is refused', async () => {
      for (const text of query.denied) {
        const { code } = await refusal(ask(text));
        expect([text, ['unsupported', 'invalid_request'].includes(code)]).toEqual([text, true]);
      }
    });
  });

  describe('connections', () => {
    test('connections are few, whatever is asked at once, and none is left when the session is closed', async () => {
      const other = await engine.connect(host.address, env);
      const before = await fixture.connections(host.address, env);
      await Promise.all(
        Array.from({ length: 30 }, () =>
          other.rows({ action: 'rows', table: ordered.table, limit: 1, offset: 0 }),
        ),
      );
      expect((await fixture.connections(host.address, env)) - before).toBeLessThanOrEqual(5);
      await other.close();
      await expect.poll(() => fixture.connections(host.address, env), noticed).toBeLessThanOrEqual(before);
    });

    test('calls to a dead server are unavailable, and the same session answers after its return', async () => {
      await host.kill();
      expect((await refusal(page(ordered.table))).code).toBe('unavailable');
      await host.start();
      await expect
        .poll(
          () =>
            page(ordered.table, 1).then(
              ({ rows }) => rows.length,
              () => 0,
            ),
          noticed,
        )
        .toBe(1);
    });
  });
}
