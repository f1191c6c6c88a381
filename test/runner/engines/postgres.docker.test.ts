import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postgres } from '../../../runner/engines/postgres.ts';
import { refused, useEngine } from '../../support/docker/use-engine.ts';
import { engineContract } from './engine-contract.ts';
import { asked, env, postgresFixture } from './postgres-fixture.ts';

const image = 'postgres:17';
const contract = postgresFixture(postgres, image);

describe('PostgreSQL keeps the contract of the engines:', () => engineContract(contract));

describe('PostgreSQL', () => {
  const used = useEngine({ engine: postgres, image, env, fill: (address) => contract.fill(address, env) });
  const { rows, query: ask, insert, counts } = used;
  /** By the driver itself. */
  const directly = (text: string) => asked(used.host.address, (client) => client.query(text));

  describe('values', () => {
    test('every value that was read can be sent back unchanged', async () => {
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

    test('a value that does not fit its column is refused and never cut', async () => {
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

    test('columns of the same name are all returned', async () => {
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

    test('the count is an estimate above 100,000 rows and exact below, whatever the statistics say', async () => {
      const counted = await counts();
      expect(counted['public.large']).toBe(150_000);
      expect((await rows('public.large', 1)).total).toBe(150_000);
      // The planner's guess by the size of the file.
      expect(counted['public.fresh']).toBeGreaterThan(100_000);
      expect(counted['public.shrunk']).toBe(5);
    });

    test('a failing view, an unfilled one and one of billions of rows keep no other table from the list', async () => {
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

    test('reading changes nothing, even through a view that writes', async () => {
      expect((await refused(rows('public.writing'))).message).toMatch(/read-only transaction/);
      expect((await rows('public.scratch')).rows.filter(({ id }) => id === 99)).toEqual([]);
    });

    test("the system's tables are neither listed nor read", async () => {
      expect(Object.keys(await counts()).filter((id) => /^(pg_|information_schema)/.test(id))).toEqual([]);
      expect((await refused(rows('pg_catalog.pg_authid'))).code).toBe('not_found');
    });
  });
});
