/** Backups and restores of MySQL by the runner's own jobs: a new volume and a switch of containers, with the real server. */
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { createGunzip, gzipSync } from 'node:zlib';
import { type Connection, createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ArchiveFacts, JobResult } from '../../../../protocol/job-report.ts';
import type { BackupSpec, DeploySpec, RestoreSpec } from '../../../../protocol/job-spec.ts';
import { mysqlData } from '../../../../runner/engines/mysql/data.ts';
import { findLive } from '../../../../runner/jobs/data/data-attempt.ts';
import { fileAt } from '../../../../runner/jobs/data/take-backup.ts';
import { createJobs } from '../../../../runner/jobs/index.ts';
import { backupPath } from '../../../../runner/storage/backup-files.ts';
import { freePorts } from '../../../support/free-ports.ts';
import { type DeployFixture, deployFixture } from '../../support/deploy-fixture.ts';
import { testId } from '../../support/docker-host.ts';
import { flipByte } from '../../support/flip-byte.ts';
import { type TestContext, testContext } from '../../support/job-context.ts';

const env = {
  MYSQL_ROOT_PASSWORD: `ro"ot's \\ zë`,
  MYSQL_DATABASE: 'app',
  MYSQL_USER: 'app',
  MYSQL_PASSWORD: `it's "so" \\ zë`,
};
const secrets = { env: {}, gitToken: null };
const odd = '`we-ird "t" ; -- ``(1),(2)`';

let fixture: DeployFixture;
let live: DeploySpec;

beforeAll(async () => {
  fixture = await deployFixture();
  const [hostPort = 0] = await freePorts(1);
  live = fixture.spec({
    source: {
      type: 'database',
      engine: 'mysql',
      imageRef: 'mysql:9',
      publicAddress: '127.0.0.1',
      logicalReplication: false,
    },
    hostPort,
  });
  expect((await fixture.deploy(live, { secrets: { env } })).result.outcome).toBe('succeeded');
  for (const statement of filled) await sql(statement);
});
afterAll(() => fixture?.remove());

const filled = [
  'CREATE TABLE kept (answer INT PRIMARY KEY)',
  'INSERT INTO kept VALUES (42)',
  'CREATE DATABASE `we-ird "d" - ü`',
  `CREATE TABLE \`we-ird "d" - ü\`.${odd} (id BIGINT UNSIGNED PRIMARY KEY, v TEXT, b VARBINARY(99), j JSON, twice BIGINT AS (id * 2) STORED)`,
  `INSERT INTO \`we-ird "d" - ü\`.${odd} (id, v, b, j) VALUES (1, 'it''s (1),(2) \\\\ "\r\n\t\0 päß 💧', X'00FF0A27', '{"a": 12345678901234567890}'), (2, NULL, NULL, NULL)`,
  'CREATE TABLE log (at DATETIME(6), what VARCHAR(99))',
  'CREATE VIEW seen AS SELECT answer + 1 AS next FROM kept',
  "CREATE TRIGGER noted AFTER DELETE ON kept FOR EACH ROW INSERT INTO log VALUES (NOW(6), 'deleted')",
  'CREATE PROCEDURE put(IN n INT)\nBEGIN\nINSERT INTO `log`\nVALUES (NOW(6), n);\nINSERT INTO `log` VALUES (NOW(6), 1), (NOW(6), 2);\nEND',
  'CREATE FUNCTION plus(n INT) RETURNS INT DETERMINISTIC RETURN n + 1',
  "CREATE EVENT often ON SCHEDULE EVERY 1 YEAR STARTS '2099-01-01' DO DELETE FROM log",
  `CREATE USER 'o''dd'@'%' IDENTIFIED BY 'theirs'`,
  `GRANT SELECT ON app.kept TO 'o''dd'@'%'`,
];

async function connected<T>(
  login: { user: string; password: string },
  use: (connection: Connection) => Promise<T>,
) {
  const connection = await createConnection({
    host: '127.0.0.1',
    port: live.hostPort,
    database: 'app',
    charset: 'utf8mb4',
    rowsAsArray: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
    jsonStrings: true,
    ...login,
  });
  connection.on('error', () => {});
  return await use(connection).finally(() => connection.destroy());
}

const sql = async (statement: string) =>
  await connected(
    { user: 'root', password: env.MYSQL_ROOT_PASSWORD },
    async (connection) => (await connection.query(statement))[0],
  );

const outcome = (running: Promise<JobResult>) =>
  running.catch((error: { code?: string; message: string }) => ({
    outcome: 'threw' as const,
    ...error,
    message: error.message,
  }));
const of = () => ({ projectId: live.projectId, serviceId: live.serviceId, engine: 'mysql' as const });
const pathOf = (backupId: string) => backupPath(fixture.host.dataDirectory, live.serviceId, backupId);

async function backedUp(): Promise<{ id: string; facts: ArchiveFacts }> {
  const backupId = testId('backup');
  const spec: BackupSpec = { kind: 'backup', ...of(), backupId, toDisk: true, remoteKey: null };
  const result = await createJobs(fixture.parts).backup.run(spec, secrets, testContext());
  if (!result.facts.archive) throw new Error(`no backup: ${JSON.stringify(result)}`);
  return { id: backupId, facts: result.facts.archive };
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
const answers = () => sql('SELECT answer FROM kept ORDER BY 1');

describe('MySQL', () => {
  test('a backup is SQL behind gzip, whole to its last line, and counts tables and rows', async () => {
    const { id, facts } = await backedUp();
    expect(facts).toMatchObject({ localPath: pathOf(id), tables: 3, rows: 3 });
    const dump = await text(createReadStream(pathOf(id)).pipe(createGunzip()));
    expect(dump).toMatch(/^-- MySQL dump/);
    const place = {
      ...(await findLive(fixture.parts, live.serviceId)),
      signal: new AbortController().signal,
      progress: () => {},
    };
    const cut = gzipSync(dump.slice(0, -20));
    const path = `${pathOf(id)}-cut`;
    await writeFile(path, cut);
    await expect(mysqlData.archive.check(place, fileAt(path, cut.length))).rejects.toThrow(
      /last line is missing/,
    );
  });

  test('a restore brings data, views, triggers, routines, events and users back; the next deployment keeps them', async () => {
    const backup = await backedUp();
    await sql('DELETE FROM kept');
    await sql('DROP DATABASE `we-ird "d" - ü`');
    await sql('DROP PROCEDURE put');
    await sql(`DROP USER 'o''dd'@'%'`);
    await sql('CREATE DATABASE since');
    const spec = restoreSpec(backup);
    expect(await restore(spec)).toMatchObject({ outcome: 'succeeded', facts: { archive: { rows: 1 } } });
    await proveRestored();
    expect(await recover(spec)).toMatchObject({ outcome: 'succeeded' });
    const next = fixture.spec({}, live);
    expect((await fixture.deploy(next, { secrets: { env } })).result.outcome).toBe('succeeded');
    await proveRestored();
  });

  test('a file with one flipped byte is refused, and nothing was touched', async () => {
    const backup = await backedUp();
    await flipByte(pathOf(backup.id), backup.facts.sizeBytes);
    expect(await restore(restoreSpec(backup))).toMatchObject({ code: 'backup_damaged' });
    expect(await answers()).toEqual([[42]]);
  });

  test('a runner that dies before the exchange has changed nothing', async () => {
    const spec = restoreSpec(await backedUp());
    const volumes = (await fixture.host.volumes()).sort();
    await sql('UPDATE kept SET answer = 43');
    const reached = Promise.withResolvers<void>();
    const dead = testContext({
      grant() {
        reached.resolve();
        return new Promise<never>(() => {});
      },
    });
    void restore(spec, dead);
    await reached.promise;
    expect(await recover(spec)).toMatchObject({ code: 'runner_restarted' });
    expect(await answers()).toEqual([[43]]);
    expect((await fixture.host.volumes()).sort()).toEqual(volumes);
  });
});

async function proveRestored(): Promise<void> {
  expect(await answers()).toEqual([[42]]);
  expect(await sql(`SELECT v, HEX(b), j, twice FROM \`we-ird "d" - ü\`.${odd} ORDER BY id`)).toEqual([
    ['it\'s (1),(2) \\ "\r\n\t\0 päß 💧', '00FF0A27', '{"a": 12345678901234567890}', expect.anything()],
    [null, null, null, expect.anything()],
  ]);
  expect(await sql('SELECT next FROM seen')).toEqual([['43']]);
  expect(await sql('SELECT plus(1)')).toEqual([[2]]);
  expect(await sql("SELECT event_name FROM information_schema.events WHERE event_schema = 'app'")).toEqual([
    ['often'],
  ]);
  expect(
    await sql("SELECT trigger_name FROM information_schema.triggers WHERE trigger_schema = 'app'"),
  ).toEqual([['noted']]);
  await sql('CALL put(7)');
  expect(await sql('SELECT COUNT(*) FROM log WHERE what IN (7, 1, 2)')).not.toEqual([[0]]);
  const asOdd = await connected(
    { user: "o'dd", password: 'theirs' },
    async (connection) => (await connection.query('SELECT * FROM kept'))[0],
  );
  expect(asOdd).toEqual([[42]]);
  const asApp = await connected(
    { user: 'app', password: env.MYSQL_PASSWORD },
    async (connection) => (await connection.query('SELECT * FROM kept'))[0],
  );
  expect(asApp).toEqual([[42]]);
}
