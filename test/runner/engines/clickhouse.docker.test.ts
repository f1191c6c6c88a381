import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clickhouse } from '../../../runner/engines/clickhouse.ts';
import type { EngineSession } from '../../../runner/engines/engine.ts';
import { type EngineHost, startEngine } from '../../support/docker/engine-container.ts';
import { deniedStatements } from './clickhouse-denied.ts';
import { asked, env, fixture, image, password } from './clickhouse-fixture.ts';
import { engineContract } from './engine-contract.ts';

describe('ClickHouse keeps the contract of the engines:', () => engineContract(fixture));

describe('ClickHouse', () => {
  const caps = { timeoutMs: 15_000, rowsMax: 1_000, bytesMax: 1_000_000 };
  let host: EngineHost;
  let session: EngineSession;

  beforeAll(async () => {
    host = await startEngine(clickhouse, image, env);
    session = await clickhouse.connect(host.address, env);
  });
  afterAll(async () => {
    await session?.close();
    await host?.remove();
  });

  const made = (...statements: string[]) =>
    asked(host.address, env, async (client) => {
      for (const query of statements) await client.command({ query });
    });
  const ask = (text: string, limits = caps) => session.query({ action: 'query', text }, limits);
  const rows = (table: string) => session.rows({ action: 'rows', table, limit: 500, offset: 0 });
  const countOf = async (table: string) =>
    (await session.tables({ action: 'tables' })).tables.find(({ id }) => id === table)?.rowCount;
  const value = async (text: string) => Object.values((await ask(text)).rows[0] ?? {})[0];

  test('the password is in no command line and in no error of a refused sign-in', async () => {
    expect(
      clickhouse.container({ env, logicalReplication: false, memoryLimitMb: null, chosen: {} }).command,
    ).toBe(undefined);
    const wrong = clickhouse.connect(host.address, { ...env, CLICKHOUSE_PASSWORD: 'secret-but-wrong' });
    await expect(wrong).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.not.stringMatching(/secret|users\.d/),
    });
  });

  describe('a statement that reaches outside', () => {
    beforeAll(() =>
      made(
        'CREATE TABLE ordered (id UInt32, name String) ENGINE = MergeTree ORDER BY id',
        'CREATE TABLE keyless (n Int8) ENGINE = Memory',
      ),
    );

    test('a statement that reaches outside is refused before it runs, however it is written; nothing is made by it', async () => {
      for (const text of deniedStatements) {
        const refused = await ask(text).then(
          () => 'ran',
          ({ code, message }) => `${code}: ${message}`,
        );
        // Either refused by us, or unknown to this server, or stopped where VALUES may hold no expressions.
        expect([text, refused]).toEqual([
          text,
          expect.stringMatching(/^unsupported: |UNKNOWN_FUNCTION|Interpreting expressions is disabled/),
        ]);
      }
      const stolen =
        "SELECT (SELECT count() FROM system.tables WHERE name = 'stolen') + (SELECT count() FROM system.databases WHERE name = 'stolen') + (SELECT count() FROM system.functions WHERE name = 'stolen')";
      expect(await value(stolen)).toBe('0');
      expect((await rows('app.keyless')).rows).toEqual([]);
    });

    test('a statement that only seems to reach outside is run', async () => {
      for (const text of [
        "SELECT 'url(x)' AS a -- url('x')",
        'SELECT `url` FROM (SELECT 1 AS `url`)',
        'SELECT file /* file( */ FROM (SELECT 1 AS file)',
        "SELECT * FROM (SELECT 1 AS n) WHERE 'ENGINE = URL' != 'INTO OUTFILE'",
        '(SELECT 1) UNION ALL (SELECT 2)',
        'WITH 1 AS x SELECT x FROM numbers(1)',
        'SELECT * FROM numbers(2) AS one, generateSeries(1, 2) AS other',
        'EXPLAIN SELECT * FROM ordered',
        'DESCRIBE TABLE ordered',
        'SHOW CREATE TABLE ordered',
      ])
        expect([text, (await ask(text)).rows.length > 0]).toEqual([text, true]);
    });

    test('a statement with its own answer format is refused', async () => {
      await expect(ask('SELECT 1 FORMAT CSV')).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('FORMAT'),
      });
    });
  });

  test('a statement that takes too long is ended everywhere, also one that lifts its own limit', async () => {
    const slow = 'SELECT sum(sipHash64(number, 7)) FROM numbers(1000000000000)';
    for (const text of [slow, `${slow} SETTINGS max_execution_time = 0`]) {
      await expect(ask(text, { ...caps, timeoutMs: 500 })).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('0.5 s'),
      });
      const running =
        "SELECT count() FROM system.processes WHERE query LIKE '%sipHash64(number, 7)%' AND query NOT LIKE '%processes%'";
      await expect.poll(() => value(running), { timeout: 20_000 }).toBe('0');
    }
  });

  test('an INSERT of more rows than an answer holds is never cut, and is counted', async () => {
    await made('CREATE TABLE many (id UInt32) ENGINE = MergeTree ORDER BY id');
    expect((await ask('INSERT INTO many SELECT number FROM numbers(150000)')).rowCount).toBe(150_000);
    expect(await value('SELECT count() FROM (SELECT * FROM many)')).toBe('150000');
    expect((await ask('DELETE FROM many WHERE id % 3 = 0')).rowCount).toBe(50_000);
    expect(await value('SELECT count() FROM many')).toBe('100000');
  });

  test('the count of a table of over 100,000 rows is an estimate, below it is exact', async () => {
    await made(
      'CREATE TABLE large (id UInt32) ENGINE = MergeTree ORDER BY id',
      'INSERT INTO large SELECT number FROM numbers(200000)',
      'DELETE FROM large WHERE id < 50000',
      'CREATE VIEW endless AS SELECT number FROM system.numbers',
    );
    expect(await countOf('app.large')).toBeGreaterThanOrEqual(150_000);
    expect(await countOf('app.endless')).toBeGreaterThan(100_000);
    await made('DELETE FROM large WHERE id >= 60000', 'OPTIMIZE TABLE large FINAL');
    expect(await countOf('app.large')).toBe(10_000);
    await made('DROP VIEW endless');
  });

  test('a remote or broken table is listed with the others, and reading its rows is refused', async () => {
    await made(
      "CREATE TABLE elsewhere (a Int8) ENGINE = URL('http://127.0.0.1:1/x', CSV)",
      'CREATE TABLE base (a Int8) ENGINE = Memory',
      'CREATE VIEW broken AS SELECT a FROM base',
      'DROP TABLE base',
      'CREATE TABLE sought (a Int8) ENGINE = Set',
    );
    const { tables } = await session.tables({ action: 'tables' });
    for (const id of ['app.elsewhere', 'app.broken', 'app.sought'])
      expect(tables.find((table) => table.id === id)).toMatchObject({ schema: 'app', rowCount: 0 });
    await expect(rows('app.elsewhere')).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('URL'),
    });
    await expect(rows('app.broken')).rejects.toMatchObject({ message: expect.stringContaining('base') });
    await expect(rows('app.sought')).rejects.toMatchObject({ code: 'unsupported' });
  });

  test('rows that share a key, or have none, keep their places from page to page', async () => {
    await made(
      'CREATE TABLE tied (k Int8, n UInt32) ENGINE = MergeTree ORDER BY (k % 2, k)',
      'INSERT INTO tied SELECT number % 2, number FROM numbers(100)',
      'INSERT INTO tied SELECT number % 2, number + 100 FROM numbers(100)',
    );
    const all = (await rows('app.tied')).rows;
    expect(all.map(({ k }) => k)).toEqual([...Array(100).fill(0), ...Array(100).fill(1)]);
    const pages = [];
    for (let offset = 0; offset < 200; offset += 30)
      pages.push(...(await session.rows({ action: 'rows', table: 'app.tied', limit: 30, offset })).rows);
    expect(pages).toEqual(all);
  });

  test('an id that two tables share is a conflict', async () => {
    await made(
      'CREATE DATABASE `a`',
      'CREATE DATABASE `a.b`',
      'CREATE TABLE `a`.`b.c` (n Int8) ENGINE = Memory',
      'CREATE TABLE `a.b`.`c` (n Int8) ENGINE = Memory',
    );
    await expect(rows('a.b.c')).rejects.toMatchObject({ code: 'conflict' });
    await made('DROP DATABASE `a`', 'DROP DATABASE `a.b`');
  });

  describe('edit', () => {
    const key = { id: 1 };
    beforeAll(() =>
      made(
        'CREATE TABLE edited (id UInt32, part Int8, name String, twice String MATERIALIZED concat(name, name)) ENGINE = MergeTree PARTITION BY part ORDER BY id',
        "INSERT INTO edited VALUES (1, 0, 'one'), (1, 1, 'also one'), (2, 0, 'two')",
        'CREATE TABLE noted (id UInt32) ENGINE = Log',
        'CREATE TABLE unkeyed (id UInt32) ENGINE = MergeTree ORDER BY tuple()',
      ),
    );
    const update = (primaryKey: object, values: object, table = 'app.edited') =>
      session.update({ action: 'update', table, primaryKey: { ...primaryKey }, values: { ...values } });
    const remove = (primaryKey: object, table = 'app.edited') =>
      session.delete({ action: 'delete', table, primaryKey: { ...primaryKey } });

    test('a key of several rows is a conflict that says how many, and changes none', async () => {
      const before = await rows('app.edited');
      const refused = { code: 'conflict', message: expect.stringContaining('2 rows') };
      await expect(update(key, { name: 'x' })).rejects.toMatchObject(refused);
      await expect(remove(key)).rejects.toMatchObject(refused);
      expect(await rows('app.edited')).toEqual(before);
    });

    test('a change of a key column is refused with a reason, and an unchanged one is accepted', async () => {
      for (const values of [{ id: 3 }, { part: 5 }, { twice: 'x' }])
        await expect(update({ id: 2 }, values)).rejects.toMatchObject({
          code: 'invalid_request',
          message: expect.stringContaining(Object.keys(values)[0] ?? ''),
        });
      await expect(update({ id: 2 }, { id: 2 })).rejects.toMatchObject({ code: 'invalid_request' });
      await update({ id: 2 }, { id: 2, name: "II; DROP TABLE edited -- '" });
      expect((await rows('app.edited')).rows).toContainEqual({
        id: 2,
        part: 0,
        name: "II; DROP TABLE edited -- '",
        twice: expect.any(String),
      });
    });

    test("a value that does not fit its type is refused in the engine's words, and nothing is changed", async () => {
      await expect(
        session.insert({ action: 'insert', table: 'app.edited', values: { id: 'x', name: 'y' } }),
      ).rejects.toMatchObject({ code: 'invalid_request' });
      for (const id of ['2 OR 1', "2' OR '1", -1, 2 ** 53])
        await expect(remove({ id })).rejects.toMatchObject({ code: 'invalid_request' });
      expect((await rows('app.edited')).total).toBe(3);
    });

    test('bytes inside a list are accepted in a new row and refused in a change', async () => {
      await made('CREATE TABLE listed (id UInt8, list Array(String)) ENGINE = MergeTree ORDER BY id');
      const row = { id: 1, list: ['\\xff', 'text'] };
      await session.insert({ action: 'insert', table: 'app.listed', values: row });
      await expect(update({ id: 1 }, { list: ['\\xfe'] }, 'app.listed')).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('list'),
      });
      expect((await rows('app.listed')).rows).toEqual([row]);
    });

    test('table engines without row changes accept new rows and refuse the rest', async () => {
      await session.insert({ action: 'insert', table: 'app.noted', values: { id: 1 } });
      expect((await rows('app.noted')).rows).toEqual([{ id: 1 }]);
      const refused = { code: 'unsupported', message: expect.stringContaining('Log') };
      await expect(update(key, { id: 2 }, 'app.noted')).rejects.toMatchObject(refused);
      await expect(remove(key, 'app.noted')).rejects.toMatchObject(refused);
      await expect(remove(key, 'app.unkeyed')).rejects.toMatchObject({ code: 'invalid_request' });
    });

    test('the id of a row whose key the server made is null', async () => {
      const insert = { action: 'insert', table: 'app.edited', values: { name: 'zero' } } as const;
      expect(await session.insert(insert)).toEqual({ id: null });
    });
  });

  test('a new name for the database is refused, and a new password applies at the next start', async () => {
    const change = (after: Record<string, string>) =>
      clickhouse.changeCredentials(host.address, env, { ...env, ...after });
    await expect(change({ CLICKHOUSE_DB: 'other' })).rejects.toMatchObject({ code: 'unsupported' });
    await change({ CLICKHOUSE_PASSWORD: `${password}2` });
    expect(clickhouse.credentialsIn).toBe('settings');
  });
});
