/** Imports into TimescaleDB: from another one, hypertables and all, and from a PostgreSQL that knows nothing of it. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { type Database, useDatabases } from '../../../../support/docker/use-databases.ts';
import { postgresRows } from '../../../../support/postgres-client.ts';

const env = { POSTGRES_DB: 'app', POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'a-password' };
const timescale = { engine: 'timescale', image: 'timescale/timescaledb:latest-pg17', env } as const;
const postgres = { engine: 'postgres', image: 'postgres:17', env } as const;
const { old, plain, target } = useDatabases({ old: timescale, plain: postgres, target: timescale });

const sql = <Row extends pg.QueryResultRow>(of: Database, text: string) => postgresRows<Row>(of, env, text);

async function imported(from: Database, into: Database) {
  const { host, port } = (await from.place()).address;
  const sourceUrl = `postgres://app:${env.POSTGRES_PASSWORD}@${host}:${port}/app`;
  return await into.run(into.importSpec({ source: 'postgres-url' }), { sourceUrl });
}

test('hypertables arrive with their chunks, and take new rows', async () => {
  await sql(
    old,
    `CREATE TABLE measured (at timestamptz NOT NULL, v int); SELECT create_hypertable('measured', 'at');
    INSERT INTO measured SELECT '2026-01-01'::timestamptz + n * interval '1 day', n FROM generate_series(1, 100) n`,
  );
  expect(await imported(old, target)).toMatchObject({ outcome: 'succeeded' });
  const held = `SELECT (SELECT count(*)::int FROM measured) AS rows,
    (SELECT count(*)::int FROM timescaledb_information.chunks WHERE hypertable_name = 'measured') AS chunks`;
  expect(await sql(target, held)).toEqual(await sql(old, held));
  await sql(target, `INSERT INTO measured VALUES ('2027-01-01', 1)`);
  expect(await sql(target, 'SELECT count(*)::int AS n FROM measured')).toEqual([{ n: 101 }]);
  await sql(target, 'DROP TABLE measured');
});

test('a PostgreSQL without TimescaleDB fills a database that has it', async () => {
  await sql(plain, 'CREATE TABLE kept (answer int); INSERT INTO kept VALUES (42)');
  expect(await imported(plain, target)).toMatchObject({ outcome: 'succeeded' });
  expect(await sql(target, 'SELECT * FROM kept')).toEqual([{ answer: 42 }]);
  await sql(plain, 'DROP TABLE kept');
});

test('a database with TimescaleDB does not fill a PostgreSQL without it', async () => {
  expect(await imported(old, plain)).toMatchObject({
    code: 'import_refused',
    message: expect.stringMatching(/does not have: timescaledb/),
  });
});

test('a backup of another version of TimescaleDB is refused with the version, and the live data stays', async () => {
  await sql(target, 'CREATE TABLE stays AS SELECT 7 AS value');
  const backup = await target.backUp();
  const path = target.pathOf(backup.id);
  const bytes = await readFile(path, 'latin1');
  // Of another image: here the only place in which the version is written is changed.
  const other = bytes.replace(/("name":\s*"timescaledb",\s*"version":\s*")\d/, '$19');
  expect(other).not.toBe(bytes);
  await writeFile(path, other, 'latin1');
  const checksum = `sha256:${createHash('sha256').update(other, 'latin1').digest('hex')}`;
  expect(await target.run(target.restoreSpec({ ...backup, checksum }))).toMatchObject({
    code: 'restore_failed',
    message: expect.stringMatching(
      /image of this database does not have: timescaledb 9\..*Nothing was changed/,
    ),
  });
  expect(await sql(target, 'SELECT * FROM stays')).toEqual([{ value: 7 }]);
});
