import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DatabaseAnswerOf } from '../../../protocol/database.ts';
import type { EngineSession } from '../../../runner/engines/engine.ts';
import { EngineError } from '../../../runner/engines/engine-error.ts';
import { postgres } from '../../../runner/engines/postgres.ts';
import { useEngine } from '../support/use-engine.ts';
import { engineContract } from './engine-contract.ts';
import { asked, env, postgresFixture } from './postgres-fixture.ts';

const image = 'postgres:17';
const caps = { timeoutMs: 15_000, rowsMax: 1_000, bytesMax: 1_000_000 };
const contract = postgresFixture(postgres, image);

describe('PostgreSQL keeps the contract of the engines:', () => engineContract(contract));

describe('PostgreSQL', () => {
  const used = useEngine({ engine: postgres, image, env, fill: (address) => contract.fill(address, env) });
  const ask = (text: string, limits = caps) => used.session.query({ action: 'query', text }, limits);
  const rows = (table: string, limit = 50, offset = 0) =>
    used.session.rows({ action: 'rows', table, limit, offset });
  const insert = (table: string, values: DatabaseAnswerOf<'rows'>['rows'][number]) =>
    used.session.insert({ action: 'insert', table, values });
  /** By the driver itself. */
  const directly = (text: string) => asked(used.host.address, (client) => client.query(text));
  const refused = async (what: Promise<unknown>) => {
    const error = await what.then(
      (answer) => expect.unreachable(JSON.stringify(answer)),
      (thrown) => thrown,
    );
    expect(error).toBeInstanceOf(EngineError);
    return error as EngineError;
  };
  const counts = async (session: EngineSession = used.session) => {
    const { tables } = await session.tables({ action: 'tables' });
    return Object.fromEntries(tables.map(({ id, rowCount }) => [id, rowCount]));
  };

  describe('values', () => {
    test('every value that was read can be sent back, and is then the same', async () => {
      for (const row of contract.awkward.rows) {
        const copy = { ...row, id: Number(row.id) + 100 };
        await insert('public.awkward', copy);
        const primaryKey = { id: copy.id };
        await used.session.update({ action: 'update', table: 'public.awkward', primaryKey, values: copy });
      }
      const sent = (await rows('public.awkward', 500)).rows.slice(contract.awkward.rows.length);
      expect(sent.map(({ id, ...values }) => values)).toEqual(
        contract.awkward.rows.map(({ id, ...values }) => values),
      );
      await directly('DELETE FROM awkward WHERE id > 100');
    });

    test('what does not fit its column is refused, and never cut or rounded', async () => {
      const table = 'public.awkward';
      const bad = [
        { code: 'x'.repeat(21) },
        { bits: '10101' },
        { small: 40_000 },
        { whole: 1.5 },
        { big: 2 ** 60 },
        { flag: 'perhaps' },
        { document: '{"a":' },
        { words: ['a'] },
        { words: { a: 1 } },
        { words: 'a\0b' },
        { ints: [1, 'x'] },
        { at: 'yesterdayish' },
      ];
      for (const values of bad) {
        const { code } = await refused(insert(table, { id: 50, ...values }));
        expect([values, code]).toEqual([values, 'invalid_request']);
      }
      expect((await rows(table)).total).toBe(contract.awkward.rows.length);
    });

    test('columns of the same name are all there', async () => {
      const { columns, rows } = await ask('SELECT 1 AS id, 2 AS id, 3 AS id_2, 4 AS id');
      expect(columns.map(({ name }) => name)).toEqual(['id', 'id_3', 'id_2', 'id_4']);
      expect(rows).toEqual([{ id: 1, id_3: 2, id_2: 3, id_4: 4 }]);
    });
  });

  describe('tables', () => {
    beforeAll(() =>
      directly(`
        CREATE TABLE large (id int PRIMARY KEY, word text);
        INSERT INTO large SELECT n, 'w' FROM generate_series(1, 150000) n;
        ANALYZE large;
        INSERT INTO large SELECT n, 'w' FROM generate_series(150001, 150010) n;
        CREATE TABLE fresh (id int) WITH (autovacuum_enabled = false);
        INSERT INTO fresh SELECT generate_series(1, 150000);
        CREATE TABLE shrunk (id int PRIMARY KEY);
        INSERT INTO shrunk SELECT generate_series(1, 50);
        ANALYZE shrunk;
        DELETE FROM shrunk WHERE id > 5;
        CREATE VIEW broken AS SELECT id FROM people WHERE 1 / (id - id) > 0;
        CREATE VIEW large_view AS SELECT a.id FROM large a, large b;
        CREATE MATERIALIZED VIEW unfilled AS SELECT 1 AS one WITH NO DATA;
        CREATE UNIQUE INDEX ON keyless (word);
        CREATE FUNCTION writes() RETURNS int LANGUAGE sql AS $$ INSERT INTO scratch VALUES (99, 'view') RETURNING id $$;
        CREATE VIEW writing AS SELECT writes() AS id;
      `),
    );
    afterAll(() =>
      directly(
        'DROP TABLE large, fresh, shrunk CASCADE; DROP VIEW broken, writing; DROP MATERIALIZED VIEW unfilled',
      ),
    );

    test('above 100,000 rows the count is an estimate, below it is exact, whatever the statistics say', async () => {
      const counted = await counts();
      expect(counted['public.large']).toBe(150_000);
      expect((await rows('public.large', 1)).total).toBe(150_000);
      // The planner's guess by the size of the file.
      expect(counted['public.fresh']).toBeGreaterThan(100_000);
      expect(counted['public.shrunk']).toBe(5);
    });

    test('a view that fails, one that is never filled and one of billions keep no other from the list', async () => {
      const counted = await counts();
      expect(counted).toMatchObject({ 'public.broken': 0, 'public.unfilled': 0, 'public.people': 6 });
      expect(counted['public.large_view']).toBeGreaterThan(1e9);
      expect((await refused(rows('public.broken'))).message).toMatch(/division by zero.*22012/);
    });

    test('a table that a migration holds is listed, and the others with their counts', async () => {
      await asked(used.host.address, async (migration: pg.Client) => {
        await migration.query('BEGIN; LOCK TABLE scratch');
        expect(await counts()).toMatchObject({ 'public.people': 6, 'public.scratch': expect.any(Number) });
        expect((await refused(rows('public.scratch'))).code).toBe('unavailable');
      });
    });

    test('reading changes nothing, also not by a view that writes', async () => {
      expect((await refused(rows('public.writing'))).message).toMatch(/read-only transaction/);
      expect((await rows('public.scratch')).rows.filter(({ id }) => id === 99)).toEqual([]);
    });

    test("the system's tables are neither listed nor read", async () => {
      expect(Object.keys(await counts()).filter((id) => /^(pg_|information_schema)/.test(id))).toEqual([]);
      expect((await refused(rows('pg_catalog.pg_authid'))).code).toBe('not_found');
    });
  });

  describe('edit', () => {
    beforeAll(() =>
      directly(`
        CREATE TABLE places (city text, house int, owner int CONSTRAINT owner_is_known REFERENCES people,
          size int CONSTRAINT has_size CHECK (size > 0), at int4range,
          CONSTRAINT at_alone EXCLUDE USING gist (at WITH &&), PRIMARY KEY (house, city));
        CREATE TABLE parents (id int PRIMARY KEY);
        CREATE TABLE children () INHERITS (parents);
        INSERT INTO parents VALUES (1);
        INSERT INTO children VALUES (1);
        CREATE TABLE quiet (id int PRIMARY KEY);
        CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
        CREATE TRIGGER keep_out BEFORE INSERT ON quiet FOR EACH ROW EXECUTE FUNCTION nothing();
      `),
    );

    test('a composite key is given as JSON text, and finds its row again', async () => {
      const { id } = await insert('public.places', { city: 'Ürzig', house: 7 });
      expect(id).toBe('{"house":7,"city":"Ürzig"}');
      const primaryKey = JSON.parse(String(id));
      await used.session.update({
        action: 'update',
        table: 'public.places',
        primaryKey,
        values: { size: 3 },
      });
      expect((await rows('public.places')).rows).toMatchObject([{ city: 'Ürzig', house: 7, size: 3 }]);
      const half = { action: 'delete', table: 'public.places', primaryKey: { house: 7 } } as const;
      expect((await refused(used.session.delete(half))).message).toContain('house, city');
    });

    test.each([
      [{ owner: 999 }, 'owner_is_known'],
      [{ size: 0 }, 'has_size'],
      [{ at: '[1,5)' }, 'at_alone'],
      [{ city: null }, '"city"'],
    ])('a row that breaks a constraint is a conflict: %j', async (values, name) => {
      await directly(`INSERT INTO places (city, house, at) VALUES ('x', 1, '[2,3)') ON CONFLICT DO NOTHING`);
      const error = await refused(insert('public.places', { city: 'y', house: 2, ...values }));
      expect([error.code, error.message]).toEqual(['conflict', expect.stringContaining(name)]);
    });

    test('a column that the database generates is refused with its name', async () => {
      for (const values of [
        { code: 'x', doubled: 1 },
        { code: 'x', id: '70' },
      ]) {
        const { code, message } = await refused(insert('public.orders', values));
        expect([code, message]).toEqual([
          'invalid_request',
          expect.stringContaining('generated by the database'),
        ]);
      }
    });

    test('a key that two rows have changes none of them', async () => {
      const twice = { action: 'delete', table: 'public.parents', primaryKey: { id: 1 } } as const;
      expect((await refused(used.session.delete(twice))).code).toBe('conflict');
      expect((await rows('public.parents')).total).toBe(2);
    });

    test('a table without a key takes rows, but none is found by a key', async () => {
      const { id } = await insert('"sch.ema".ta.ble', { id: 3 });
      expect(id).toBeNull();
      const one = { action: 'delete', table: '"sch.ema".ta.ble', primaryKey: { id: 3 } } as const;
      expect((await refused(used.session.delete(one))).message).toContain('no primary key');
    });

    test('a row of defaults alone is made; one that a trigger keeps out is no success', async () => {
      expect((await refused(insert('public.quiet', { id: 1 }))).message).toContain('trigger');
      await directly('ALTER TABLE quiet DISABLE TRIGGER keep_out; ALTER TABLE quiet ALTER id SET DEFAULT 5');
      expect(await insert('public.quiet', {})).toEqual({ id: 5 });
    });
  });

  describe('query', () => {
    test('what a statement sets, makes or locks for its connection is gone with the next', async () => {
      await ask('CREATE TEMP TABLE people (other int)');
      await ask("SET search_path = 'nowhere'");
      await ask('SET ROLE pg_monitor');
      await ask('SELECT pg_advisory_lock(42)');
      const { rows } = await ask(
        'SELECT current_user::text, pg_try_advisory_lock(42) AS free, count(name)::int FROM people',
      );
      expect(rows).toEqual([{ current_user: 'app', free: true, count: 6 }]);
    });

    test.each([
      'BEGIN',
      'commit',
      'SAVEPOINT a',
      "PREPARE TRANSACTION 'x'",
      'LISTEN news',
      'COPY people FROM STDIN',
    ])('what needs a connection of its own is refused, and leaves nothing behind: %s', async (text) => {
      const { code, message } = await refused(ask(text));
      expect([code, message]).toEqual(['unsupported', expect.stringMatching(/DATABASE_URL|import/)]);
      expect((await ask('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    });

    test('a change of more rows than are shown is made whole, and says how many', async () => {
      await directly('CREATE TABLE IF NOT EXISTS numbers (n int)');
      const answer = await ask(
        'WITH source AS (SELECT generate_series(1, 2500) AS n) INSERT INTO numbers SELECT n FROM source RETURNING n',
      );
      expect([answer.rows.length, answer.rowCount, answer.truncated]).toEqual([1_000, 2_500, true]);
      expect((await rows('public.numbers', 1)).total).toBe(2_500);
    });

    test('statements without rows answer with none', async () => {
      expect(await ask('CREATE TABLE made (id int)')).toEqual({
        columns: [],
        rows: [],
        rowCount: 0,
        truncated: false,
      });
      expect((await ask('VACUUM made')).rowCount).toBe(0);
      expect(await ask('SELECT id FROM made')).toMatchObject({
        columns: [{ name: 'id', type: 'integer' }],
        rows: [],
      });
    });

    test.each([
      ['SELECT $1::int', /parameters.*08P01/],
      ['DROP DATABASE "no such"', /"no such" does not exist.*3D000/],
      ["SELECT 'ü' AS ok,\n  '☃'::int", /line 2, column 3/],
      [
        "DO $$ BEGIN RAISE EXCEPTION '%', repeat('x', 100000); END $$",
        /^x{2000}\.\.\. \(SQLSTATE P0001\)\.$/,
      ],
    ])("a statement's own fault is no fault of the connection: %s", async (text, says) => {
      const { code, message } = await refused(ask(text));
      expect([code, message]).toEqual(['invalid_request', expect.stringMatching(says)]);
    });

    test('a million notices are no answer, and do no harm', async () => {
      const notices =
        "DO $$ BEGIN FOR i IN 1..1000000 LOOP RAISE NOTICE '%', repeat('x', 100); END LOOP; END $$";
      expect(await ask(notices)).toMatchObject({ rows: [], truncated: false });
    });

    test('a row too large for the memory ends the statement alone', async () => {
      expect((await refused(ask("SELECT repeat('x', 50000000)"))).message).toContain('more than 32 MB');
      expect((await ask('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    });

    test('a page too large is refused with the way out', async () => {
      await directly(
        "CREATE TABLE wide (id int PRIMARY KEY, text text); INSERT INTO wide SELECT n, repeat('x', 1000000) FROM generate_series(1, 30) n",
      );
      expect((await refused(rows('public.wide', 30))).message).toContain('smaller limit');
      expect((await rows('public.wide', 3)).rows).toHaveLength(3);
    });

    test('after many rows the server works on nothing any more', async () => {
      expect((await ask('SELECT generate_series(1, 1000000000) AS n')).truncated).toBe(true);
      const active = `SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'longshore' AND state = 'active'`;
      await expect.poll(async () => (await directly(active)).rows[0].count, { timeout: 20_000 }).toBe(0);
    });
  });
});
