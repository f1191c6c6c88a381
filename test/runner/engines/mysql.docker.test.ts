import { describe, expect, test } from 'vitest';
import type { EngineSession } from '../../../runner/engines/engine.ts';
import { engineContract } from './engine-contract.ts';
import { codeOf, mysqlFixture, mysqlScene } from './mysql-fixture.ts';

describe('MySQL keeps the contract of the engines:', () => engineContract(mysqlFixture));

describe('MySQL', () => {
  const scene = mysqlScene();
  const { ask, page, root } = scene;

  describe('tables', () => {
    test('500 tables are counted, with a broken view among them', async () => {
      await root(async (root) => {
        await root.query('CREATE DATABASE many');
        for (let at = 0; at < 500; at++) await root.query(`CREATE TABLE many.t${at} (id INT PRIMARY KEY)`);
        await root.query('INSERT INTO many.t7 VALUES (1), (2)');
        await root.query('CREATE VIEW many.broken AS SELECT * FROM many.t0');
        await root.query('DROP TABLE many.t0');
      });
      const { tables } = await scene.all.tables({ action: 'tables' });
      const counts = new Map(tables.map(({ id, rowCount }) => [id, rowCount]));
      expect([...counts.keys()].filter((id) => id.startsWith('many.'))).toHaveLength(500);
      expect([counts.get('many.t7'), counts.get('many.t1'), counts.get('many.broken')]).toEqual([2, 0, 0]);
      expect(tables.some(({ schema }) => schema === 'mysql' || schema === 'sys')).toBe(false);
      await root((root) => root.query('DROP DATABASE many'));
    });

    test('a table of 300,000 rows is estimated, and one of 100,000 is exact', async () => {
      await root(async (root) => {
        await root.query('SET SESSION cte_max_recursion_depth = 1000000');
        for (const [name, rows] of [
          ['large', 300_000],
          ['exact', 100_000],
        ] as const) {
          await root.query(`CREATE TABLE ${name} (id INT PRIMARY KEY)`);
          await root.query(
            `INSERT INTO ${name} WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) SELECT i FROM n`,
          );
          await root.query(`ANALYZE TABLE ${name}`);
        }
      });
      const { tables } = await scene.session.tables({ action: 'tables' });
      const count = (id: string) => tables.find((table) => table.id === id)?.rowCount ?? 0;
      expect(count('app.exact')).toBe(100_000);
      expect(count('app.large')).toBeGreaterThan(150_000);
      const last = await page('app.large', 2, 299_998);
      expect(last.rows).toEqual([{ id: 299_999 }, { id: 300_000 }]);
      expect(last.total).toBeGreaterThanOrEqual(300_000);
    });
  });

  describe('rows', () => {
    test('rows without a key come in their stored order, whatever index the server would use', async () => {
      await ask('CREATE TABLE lying (a INT, INDEX (a))');
      await ask('INSERT INTO lying VALUES (3), (1), (2)');
      expect((await page('app.lying')).rows.map(({ a }) => a)).toEqual([3, 1, 2]);
    });

    test('rows of a view that writes are not read: reading is read-only', async () => {
      await ask('CREATE TABLE touched (n INT)');
      await ask(
        'CREATE FUNCTION touch() RETURNS INT DETERMINISTIC MODIFIES SQL DATA BEGIN INSERT INTO touched VALUES (1); RETURN 1; END',
        scene.all,
      );
      await ask('CREATE VIEW touching AS SELECT touch() AS n', scene.all);
      expect(
        await codeOf(scene.all.rows({ action: 'rows', table: 'app.touching', limit: 1, offset: 0 })),
      ).toBe('invalid_request');
      expect((await page('app.touched')).total).toBe(0);
      await ask('DROP VIEW touching', scene.all);
    });
  });

  describe('edit', () => {
    const insert = (table: string, values: Parameters<EngineSession['insert']>[0]['values']) =>
      scene.session.insert({ action: 'insert', table, values });

    test('every value that is read can be written', async () => {
      await ask(`CREATE TABLE copied (id INT PRIMARY KEY, big BIGINT UNSIGNED, moment TIMESTAMP(6) NULL, local DATETIME(3),
        b BIT(10), bytes BLOB, place GEOMETRY, doc JSON, yes TINYINT(1), amount DECIMAL(10,2), e ENUM('a','b'))`);
      const row = {
        id: 1,
        big: '18446744073709551615',
        moment: '2026-01-02T03:04:05.123456Z',
        local: '2026-01-02T03:04:05.120',
        b: '1000000001',
        bytes: '\\xff0027',
        place: '\\x000000000101000000000000000000f03f0000000000000040',
        doc: { a: '"\\', b: [null, 1.5] },
        yes: 1,
        amount: '10.50',
        e: 'b',
      };
      expect(await insert('app.copied', row)).toEqual({ id: 1 });
      expect((await page('app.copied')).rows).toEqual([row]);
      await scene.session.update({
        action: 'update',
        table: 'app.copied',
        primaryKey: { id: 1 },
        values: { ...row, id: 2 },
      });
      expect((await page('app.copied')).rows).toEqual([{ ...row, id: 2 }]);
    });

    test('a FLOAT is read exactly, in few digits, and finds its row as a key', async () => {
      const values = [16_777_216, 1.2345678, 123_456_792, 1.1, -0.1, 1.1754944e-38, 3.4028234e38, 1e-45];
      await ask('CREATE TABLE floats (f FLOAT PRIMARY KEY, g FLOAT(7,4), n INT)');
      await ask(
        `INSERT INTO floats (f, g) VALUES ${values.map((value) => `(${value}, 999.0001)`).join(', ')}`,
      );
      await ask('INSERT INTO floats VALUES (-0e0, NULL, NULL)');
      const { columns, rows } = await page('app.floats');
      expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
        'f float',
        'g float(7,4)',
        'n int',
      ]);
      const read = rows.map(({ f }) => f);
      expect(read).toEqual([
        -0.1,
        '-0',
        1.4013e-45,
        ...values.filter((one) => one > 1e-44).sort((a, b) => a - b),
      ]);
      expect(rows.at(-1)).toMatchObject({ g: 999.0001 });
      for (const f of read)
        await scene.session.update({
          ...{ action: 'update', table: 'app.floats' },
          ...{ primaryKey: { f: f ?? null }, values: { n: 1 } },
        });
      expect((await page('app.floats')).rows.map(({ n }) => n)).toEqual(read.map(() => 1));
    });

    test('a change to the present value is not reported as a missing row', async () => {
      await ask('CREATE TABLE same (id INT PRIMARY KEY, a INT)');
      await ask('INSERT INTO same VALUES (1, 5)');
      const update = {
        action: 'update',
        table: 'app.same',
        primaryKey: { id: 1 },
        values: { a: 5 },
      } as const;
      await expect(scene.session.update(update)).resolves.toEqual({});
    });

    test('integers beyond 2^53 that are neighbours are two rows', async () => {
      await ask('CREATE TABLE neighbours (id BIGINT PRIMARY KEY)');
      await ask('INSERT INTO neighbours VALUES (9007199254740992), (9007199254740993)');
      const primaryKey = { id: '9007199254740993' };
      await scene.session.delete({ action: 'delete', table: 'app.neighbours', primaryKey });
      expect((await page('app.neighbours')).rows).toEqual([{ id: '9007199254740992' }]);
    });

    test('a key that MySQL would take for another is refused', async () => {
      await ask('CREATE TABLE zero (id INT PRIMARY KEY)');
      await ask('INSERT INTO zero VALUES (0), (1)');
      for (const id of ['abc', '1x', '', ' 1', '0 OR 1=1', true && [1], null]) {
        const asked = scene.session.delete({ action: 'delete', table: 'app.zero', primaryKey: { id } });
        expect([id, await codeOf(asked)]).toEqual([id, 'invalid_request']);
      }
      for (const id of [true, false]) {
        const changed = scene.session.update({
          action: 'update',
          table: 'app.zero',
          primaryKey: { id },
          values: { id: 7 },
        });
        expect([id, await codeOf(changed)]).toEqual([id, 'invalid_request']);
      }
      expect((await page('app.zero')).rows).toEqual([{ id: 0 }, { id: 1 }]);
    });

    test('a composite key is given back as JSON text, and finds its row', async () => {
      await ask('CREATE TABLE pairs (a INT, b VARBINARY(4), c INT, PRIMARY KEY (b, a))');
      expect(await insert('app.pairs', { a: 1, b: '\\xff', c: 2 })).toEqual({ id: '{"b":"\\\\xff","a":1}' });
      await scene.session.delete({ action: 'delete', table: 'app.pairs', primaryKey: { a: 1, b: '\\xff' } });
      expect((await page('app.pairs')).total).toBe(0);
    });

    test('every broken constraint is a conflict with its name, and a value that does not fit is refused, not cut', async () => {
      await ask('CREATE TABLE parents (id INT PRIMARY KEY)');
      await ask(`CREATE TABLE children (id INT PRIMARY KEY, parent INT NOT NULL, n TINYINT, s VARCHAR(3),
        twice INT AS (n * 2), CONSTRAINT of_parent FOREIGN KEY (parent) REFERENCES parents (id),
        CONSTRAINT small CHECK (n < 10))`);
      await ask('INSERT INTO parents VALUES (1)');
      for (const [values, code, words] of [
        [{ id: 1, parent: 2 }, 'conflict', 'of_parent'],
        [{ id: 1, parent: 1, n: 10 }, 'conflict', 'small'],
        [{ id: 1, parent: null }, 'conflict', 'parent'],
        [{ id: 1 }, 'conflict', 'parent'],
        [{ id: 1, parent: 1, n: 300 }, 'invalid_request', `'n'`],
        [{ id: 1, parent: 1, s: 'long' }, 'invalid_request', `'s'`],
        [{ id: 1, parent: 1, twice: 2 }, 'invalid_request', 'twice'],
      ] as const) {
        const asked = insert('app.children', values);
        await expect(asked, JSON.stringify(values)).rejects.toMatchObject({
          code,
          message: expect.stringContaining(words),
        });
      }
      await insert('app.children', { id: 1, parent: 1 });
      const asked = scene.session.delete({ action: 'delete', table: 'app.parents', primaryKey: { id: 1 } });
      await expect(asked).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('of_parent'),
      });
    });

    test('a table without a primary key takes rows, and changes them by a query alone', async () => {
      await ask('CREATE TABLE bare (a INT)');
      expect(await insert('app.bare', { a: 1 })).toEqual({ id: null });
      expect(await insert('app.bare', {})).toEqual({ id: null });
      const asked = scene.session.delete({ action: 'delete', table: 'app.bare', primaryKey: { a: 1 } });
      expect(await codeOf(asked)).toBe('invalid_request');
    });
  });
});
