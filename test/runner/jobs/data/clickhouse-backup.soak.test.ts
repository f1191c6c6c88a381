/** Backups and restores of ClickHouse by the runner's own jobs: the real server, real files. */
import { readdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { ClickHouseClient } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ArchiveFacts, JobResult } from '../../../../protocol/job-report.ts';
import type { BackupSpec, DeploySpec, RestoreSpec } from '../../../../protocol/job-spec.ts';
import { clickhouseData } from '../../../../runner/engines/clickhouse/data.ts';
import { findLive } from '../../../../runner/jobs/data/data-attempt.ts';
import { createJobs } from '../../../../runner/jobs/index.ts';
import { backupPath } from '../../../../runner/storage/backup-files.ts';
import { ensureTestImage } from '../../../stand-ins/ensure-test-image.ts';
import { freePorts } from '../../../support/free-ports.ts';
import { asked, env, fixture as filled, image } from '../../engines/clickhouse-fixture.ts';
import { type DeployFixture, deployFixture } from '../../support/deploy-fixture.ts';
import { testId } from '../../support/docker-host.ts';
import { flipByte } from '../../support/flip-byte.ts';
import { type TestContext, testContext } from '../../support/job-context.ts';

const secrets = { env: {}, gitToken: null };
let fixture: DeployFixture;
let live: DeploySpec;

/** Everything that refers to something else by its name, and rows that merges or times would change. */
const entangled = [
  'CREATE TABLE source (id UInt32, n UInt32) ENGINE = MergeTree ORDER BY id',
  'CREATE TABLE target (id UInt32) ENGINE = MergeTree ORDER BY id',
  'CREATE MATERIALIZED VIEW passing TO target AS SELECT id FROM source',
  'CREATE MATERIALIZED VIEW summed ENGINE = SummingMergeTree ORDER BY id AS SELECT id, n FROM source',
  'INSERT INTO source VALUES (1, 10), (2, 20)',
  'INSERT INTO source VALUES (1, 5)',
  'CREATE FUNCTION app_doubled AS (x) -> x * 2',
  "CREATE DICTIONARY looked_up (id UInt64, n UInt64) PRIMARY KEY id SOURCE(CLICKHOUSE(QUERY 'SELECT 1 AS id, 7 AS n')) LAYOUT(FLAT()) LIFETIME(0)",
  "CREATE VIEW using AS SELECT app_doubled(n) AS twice, dictGet('app.looked_up', 'n', toUInt64(1)) AS seven FROM app.source",
  'CREATE TABLE gone (id UInt32) ENGINE = MergeTree ORDER BY id',
  'CREATE VIEW broken AS SELECT id FROM app.gone',
  'DROP TABLE gone',
  "CREATE TABLE waiting AS source ENGINE = Buffer('app', 'source', 1, 10, 100, 10000, 1000000, 10000000, 100000000)",
  'CREATE TABLE `other db`.seen (id Int8, at DateTime MATERIALIZED now() - 1000000) ENGINE = MergeTree ORDER BY id',
  'INSERT INTO `other db`.seen (id) VALUES (1)',
  'CREATE TABLE aged (at DateTime, n AggregateFunction(uniq, UInt32)) ENGINE = MergeTree ORDER BY at TTL at + INTERVAL 1 YEAR SETTINGS merge_with_ttl_timeout = 1000000',
  'SYSTEM STOP MERGES aged',
  "INSERT INTO aged SELECT toDateTime('2020-01-01 00:00:00'), uniqState(toUInt32(number)) FROM numbers(10) GROUP BY number % 3",
  'CREATE TABLE many (n UInt64, text String) ENGINE = MergeTree ORDER BY n PARTITION BY n % 150 SETTINGS max_partitions_to_read = -1',
  'INSERT INTO many SELECT number, hex(sipHash128(number)) FROM numbers(400000) SETTINGS max_partitions_per_insert_block = 0',
  'OPTIMIZE TABLE summed FINAL',
  'OPTIMIZE TABLE replaced FINAL',
  'CREATE TABLE kept (answer Int32) ENGINE = MergeTree ORDER BY answer',
  'INSERT INTO kept VALUES (42)',
];

const here = () => ({ host: '127.0.0.1', port: live.hostPort });
const withClient = <T>(use: (client: ClickHouseClient) => Promise<T>) => asked(here(), env, use);
const run = (...statements: string[]) =>
  withClient(async (client) => {
    for (const query of statements) await client.command({ query });
  });
const lines = (query: string) =>
  withClient(async (client) =>
    (await (await client.query({ query, format: 'TabSeparated' })).text()).trimEnd().split('\n'),
  );

beforeAll(async () => {
  await ensureTestImage(image);
  fixture = await deployFixture();
  const [hostPort = 0] = await freePorts(1);
  live = fixture.spec({
    source: {
      type: 'database',
      engine: 'clickhouse',
      imageRef: image,
      publicAddress: '127.0.0.1',
      logicalReplication: false,
    },
    hostPort,
  });
  const secretEnv = Object.fromEntries(Object.entries(env).map(([key, value]) => [key, value ?? '']));
  const { result } = await fixture.deploy(live, { secrets: { env: secretEnv } });
  expect(result).toMatchObject({ outcome: 'succeeded' });
  await filled.fill(here(), env);
  await run(...entangled);
});
afterAll(() => fixture?.remove());

const outcome = (running: Promise<JobResult>) =>
  running.catch((error: { code?: string; message: string }) => ({
    outcome: 'threw' as const,
    ...error,
    message: error.message,
  }));

const of = () => ({ projectId: live.projectId, serviceId: live.serviceId, engine: 'clickhouse' as const });
const pathOf = (backupId: string) => backupPath(fixture.host.dataDirectory, live.serviceId, backupId);
const filesThere = () => readdir(dirname(pathOf('x'))).catch(() => []);

async function backedUp(): Promise<{ id: string; facts: ArchiveFacts }> {
  const spec: BackupSpec = {
    kind: 'backup',
    ...of(),
    backupId: testId('backup'),
    toDisk: true,
    remoteKey: null,
  };
  const result = await createJobs(fixture.parts).backup.run(spec, secrets, testContext());
  if (!result.facts.archive) throw new Error(`no backup: ${JSON.stringify(result)}`);
  return { id: spec.backupId, facts: result.facts.archive };
}

const restoreSpec = ({ id, facts }: Awaited<ReturnType<typeof backedUp>>): RestoreSpec => ({
  kind: 'restore',
  ...of(),
  restoreId: testId('restore'),
  backup: { id, serviceId: live.serviceId, ...facts },
  safetyBackupId: testId('backup'),
});

const restore = (spec: RestoreSpec, context: TestContext = testContext()) =>
  outcome(createJobs(fixture.parts).restore.run(spec, secrets, context));
const recover = (spec: RestoreSpec) =>
  outcome(createJobs(fixture.parts).restore.recover(spec, {}, testContext()));
const answers = () => lines('SELECT answer FROM kept ORDER BY 1');
const ownDatabases = () =>
  lines("SELECT name FROM system.databases WHERE name LIKE 'longshore_%' ORDER BY 1");

const placeWith = async (signal: AbortSignal) => ({
  ...(await findLive(fixture.parts, live.serviceId)),
  signal,
  progress: () => {},
});

async function removeOld(): Promise<void> {
  const place = await placeWith(new AbortController().signal);
  for (const { suffix } of fixture.oldData.splice(0))
    await clickhouseData.archive.removeOld(place, { suffix });
}

/** A view of nothing; rows that are due to go, of which a restore had to count each. */
const notRead = ['broken', 'aged'];

/** Every object with its statement and its rows, without what is made anew: the ids. */
async function everything(): Promise<string[]> {
  const objects = await withClient(async (client) => {
    const query = `SELECT database, name, create_table_query AS statement, engine FROM system.tables
      WHERE database NOT IN ('system', 'INFORMATION_SCHEMA', 'information_schema') AND database NOT LIKE 'longshore_%'`;
    return (await client.query({ query, format: 'JSONEachRow' })).json<Record<string, string>>();
  });
  const found: string[] = [];
  for (const { database = '', name = '', statement = '', engine = '' } of objects) {
    const table = [database, name].map((one) => `\`${one.replace(/[\\`]/g, '\\$&')}\``).join('.');
    const rows = notRead.includes(name)
      ? []
      : await lines(`SELECT cityHash64(formatRow('RowBinary', *)) FROM ${table} ORDER BY ALL`);
    const [computed = ''] = name === 'seen' ? await lines(`SELECT at FROM ${table}`) : [];
    found.push([database, name, engine, statement, computed, rows.length, rows.sort()].join(' | '));
  }
  return found.map((text) => text.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id')).sort();
}

const innerId = async () =>
  (await lines("SELECT uuid FROM system.tables WHERE database = 'app' AND name = 'summed'"))[0];

/** A restore that waits for its permission for good, and what its dead runner had done in the exchange. */
async function stoppedAtExchange(spec: RestoreSpec, statements: string[]): Promise<void> {
  const reached = Promise.withResolvers<void>();
  const grant = () => {
    reached.resolve();
    return new Promise<never>(() => {});
  };
  void restore(spec, testContext({ grant }));
  await reached.promise;
  const suffix = spec.restoreId.replace(/^.*_/, '');
  await asked(here(), { ...env, CLICKHOUSE_DB: 'system' }, async (client) => {
    for (const text of statements) await client.command({ query: text.replaceAll('%', suffix) });
  });
}

/** In the pieces in which a file is read. */
function* asRead(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

describe('a backup', () => {
  test('is one tar with every table in parts, and counts what it holds', async () => {
    const { id, facts } = await backedUp();
    const [rows = ''] = await lines(
      "SELECT sum(total_rows) FROM system.tables WHERE database IN ('app', 'other db') AND engine NOT IN ('Buffer', 'Dictionary', 'MaterializedView') AND NOT (database = 'app' AND name = 'deleted')",
    );
    expect(facts).toMatchObject({ localPath: pathOf(id), rows: Number(rows) + 3 });
    expect(facts.tables).toBe(17);
  });

  test('whose file is cut or changed is no whole backup', async () => {
    const place = await placeWith(new AbortController().signal);
    const chunks: Buffer[] = [];
    const memory = new Writable({
      write(chunk, _, done) {
        chunks.push(chunk);
        done();
      },
    });
    await clickhouseData.archive.dump(place, memory);
    const whole = Buffer.concat(chunks);
    const check = (bytes: Buffer) =>
      clickhouseData.archive.check(place, {
        sizeBytes: bytes.length,
        open: () => Readable.from(asRead(bytes)),
        pieces: () => Readable.from(asRead(bytes)),
      });
    await check(whole);
    const within = [0.3, 0.5, 0.7, 0.9].map((part) => Math.floor(whole.length * part) | 1);
    for (const bytes of [512 * 3, ...within, whole.length - 2_000_000])
      await expect(check(whole.subarray(0, bytes))).rejects.toThrow(
        /^The file is no whole backup of ClickHouse: Unexpected end of data/,
      );
    const counted = Buffer.from(whole);
    counted.write(' 399999', counted.lastIndexOf(' 400000'));
    await expect(check(counted)).rejects.toThrow('app.many has 400000 rows and was written with 399999');
  });

  test('whose disk is full or that is stopped ends at once', async () => {
    const stopped = new AbortController();
    const place = await placeWith(stopped.signal);
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    let taken = 0;
    const smallDisk = new Writable({
      write(chunk, _, done) {
        taken += chunk.length;
        done(taken > 1_000_000 ? full : null);
      },
    });
    await expect(clickhouseData.archive.dump(place, smallDisk)).rejects.toThrow();
    expect(smallDisk.errored).toBe(full);

    const disk = new Writable({
      write(_chunk, _, done) {
        stopped.abort(new Error('stopped'));
        done();
      },
    });
    await expect(clickhouseData.archive.dump(place, disk)).rejects.toThrow('stopped');
  });
});

describe('a restore', () => {
  test('brings every type, table, view and dictionary back as it was, and the views go on', async () => {
    const before = await everything();
    const backup = await backedUp();
    await run(
      'DROP DATABASE `other db`',
      'TRUNCATE TABLE many',
      'DELETE FROM kept WHERE 1',
      'DROP TABLE awkward',
      'DROP VIEW small',
    );
    const spec = restoreSpec(backup);
    expect(await restore(spec)).toMatchObject({ outcome: 'succeeded' });
    expect(await everything()).toEqual(before);
    await run('INSERT INTO source VALUES (9, 9)');
    expect(await lines('SELECT count() FROM target WHERE id = 9')).toEqual(['1']);
    expect(await lines('SELECT n FROM summed WHERE id = 9')).toEqual(['9']);
    expect(await lines('SELECT sum(n) FROM summed FINAL WHERE id = 1')).toEqual(['15']);
    expect((await ownDatabases()).every((name) => name.startsWith('longshore_before_'))).toBe(true);
    await removeOld();
    expect(await ownDatabases()).toEqual(['']);
    await run('DELETE FROM source WHERE id = 9', 'DELETE FROM target WHERE id = 9');
  });

  test('of a server whose databases are gone makes them anew', async () => {
    const before = await everything();
    const backup = await backedUp();
    await run('DROP DATABASE `other db`');
    await asked(here(), { ...env, CLICKHOUSE_DB: 'system' }, (client) =>
      client.command({ query: 'DROP DATABASE app SYNC' }),
    );
    expect(await restore(restoreSpec(backup))).toMatchObject({ outcome: 'succeeded' });
    expect(await everything()).toEqual(before);
    await removeOld();
  });

  test('of a file with one flipped byte is refused, and nothing was touched', async () => {
    const backup = await backedUp();
    await flipByte(pathOf(backup.id), backup.facts.sizeBytes);
    const files = await filesThere();
    expect(await restore(restoreSpec(backup))).toMatchObject({ code: 'backup_damaged' });
    expect(await filesThere()).toEqual(files);
    expect(await ownDatabases()).toEqual(['']);
  });

  test('that finds other rows than were saved is refused, and the live data stays', async () => {
    const backup = await backedUp();
    const more = { ...backup, facts: { ...backup.facts, rows: backup.facts.rows + 1 } };
    expect(await restore(restoreSpec(more))).toMatchObject({
      code: 'restore_failed',
      message: expect.stringMatching(/Nothing was changed/),
    });
    expect(await answers()).toEqual(['42']);
    expect(await ownDatabases()).toEqual(['']);
  });

  test('removes what an earlier one could not, and nothing of an exchange that broke off', async () => {
    const kept = ['longshore_before_aside', 'longshore_restore_half_1', 'longshore_swap_half'];
    const left = ['longshore_restore_left', 'longshore_restore_left_1', 'longshore_restore_left_2'];
    await run(...[...kept, ...left].map((name) => `CREATE DATABASE ${name}`));
    const denied = testContext({ grant: async () => false });
    expect(await restore(restoreSpec(await backedUp()), denied)).toMatchObject({ code: 'switch_denied' });
    expect(await ownDatabases()).toEqual(kept);
    await run(...kept.map((name) => `DROP DATABASE ${name}`));
  });

  test('whose runner dies before the exchange has changed nothing', async () => {
    const spec = restoreSpec(await backedUp());
    await stoppedAtExchange(spec, []);
    await run('INSERT INTO kept VALUES (43)');
    expect(await recover(spec)).toMatchObject({ code: 'runner_restarted' });
    expect(await answers()).toEqual(['42', '43']);
    expect(await ownDatabases()).toEqual(['']);
    await run('DELETE FROM kept WHERE answer = 43');
  });

  test.each([
    ['before the first database', []],
    [
      'between two databases',
      ['RENAME DATABASE app TO longshore_before_%_1', 'RENAME DATABASE longshore_restore_%_1 TO app'],
    ],
    ["while the name of the database is nobody's", ['RENAME DATABASE app TO longshore_before_%_1']],
  ])('whose runner dies in the exchange, %s, is ended by the next start', async (_, done) => {
    const before = await everything();
    const spec = restoreSpec(await backedUp());
    await run('INSERT INTO kept VALUES (43)');
    await stoppedAtExchange(spec, [
      'RENAME DATABASE longshore_restore_% TO longshore_swap_%',
      ...done.map(
        (text) => `${text} SETTINGS check_table_dependencies = 0, check_referential_table_dependencies = 0`,
      ),
    ]);
    expect(await recover(spec)).toMatchObject({ outcome: 'succeeded' });
    expect(await everything()).toEqual(before);
    await run('INSERT INTO source VALUES (9, 9)');
    expect(await lines('SELECT count() FROM target WHERE id = 9')).toEqual(['1']);
    await run('DELETE FROM source WHERE id = 9', 'DELETE FROM target WHERE id = 9');
    await run(`DELETE FROM \`.inner_id.${await innerId()}\` WHERE id = 9`);
    await removeOld();
    expect(await ownDatabases()).toEqual(['']);
  });

  test('whose last statement fails is taken back, and the live views go on', async () => {
    const spec = restoreSpec(await backedUp());
    await run('INSERT INTO kept VALUES (43)');
    const before = await everything();
    const suffix = spec.restoreId.replace(/^.*_/, '');
    const grant = async () => {
      const step = "SELECT 'make', 9, '', '', 'SELECT throwIf(1, ''too late'')'";
      await run(`INSERT INTO longshore_restore_${suffix}.steps ${step}`);
      return true;
    };
    expect(await restore(spec, testContext({ grant }))).toMatchObject({
      code: 'restore_failed',
      message: expect.stringMatching(/too late.*Nothing was changed/s),
    });
    expect(await everything()).toEqual(before);
    expect(await ownDatabases()).toEqual(['']);
    await run('INSERT INTO source VALUES (9, 9)');
    expect(await lines('SELECT count() FROM target WHERE id = 9')).toEqual(['1']);
    await run('DELETE FROM kept WHERE answer = 43');
  });

  test('whose runner dies after the exchange ends as succeeded', async () => {
    const spec = restoreSpec(await backedUp());
    expect((await restore(spec)).outcome).toBe('succeeded');
    expect((await recover(spec)).outcome).toBe('succeeded');
    expect(await answers()).toEqual(['42']);
    await removeOld();
  });
});
