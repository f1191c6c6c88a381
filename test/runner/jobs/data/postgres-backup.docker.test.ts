/** Backups and restores of PostgreSQL by the runner's own jobs: the real server, real files. */
import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ArchiveFacts, JobResult } from '../../../../protocol/job-report.ts';
import type { BackupSpec, DeploySpec, RestoreSpec } from '../../../../protocol/job-spec.ts';
import { postgresData } from '../../../../runner/engines/postgres/data.ts';
import { findLive } from '../../../../runner/jobs/data/data-attempt.ts';
import { createJobs } from '../../../../runner/jobs/index.ts';
import { backupPath } from '../../../../runner/storage/backup-files.ts';
import { freePorts } from '../../../support/free-ports.ts';
import { type DeployFixture, deployFixture } from '../../support/deploy-fixture.ts';
import { testId } from '../../support/docker-host.ts';
import { flipByte } from '../../support/flip-byte.ts';
import { type TestContext, testContext } from '../../support/job-context.ts';

const env = { POSTGRES_DB: 'we-ird "db', POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'pä"s\'s\\ 1' };
const secrets = { env: {}, gitToken: null };

let fixture: DeployFixture;
let live: DeploySpec;

beforeAll(async () => {
  fixture = await deployFixture();
  const [hostPort = 0] = await freePorts(1);
  live = fixture.spec({
    source: {
      type: 'database',
      engine: 'postgres',
      imageRef: 'postgres:17',
      publicAddress: '127.0.0.1',
      logicalReplication: false,
    },
    hostPort,
  });
  expect((await fixture.deploy(live, { secrets: { env } })).result.outcome).toBe('succeeded');
});
afterAll(() => fixture?.remove());

async function sql<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port: live.hostPort,
    user: env.POSTGRES_USER,
    password: env.POSTGRES_PASSWORD,
    database: env.POSTGRES_DB,
  });
  client.on('error', () => {}); // its session is ended by a restore
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

const outcome = (running: Promise<JobResult>) =>
  running.catch((error: { code?: string; message: string }) => ({
    outcome: 'threw' as const,
    ...error,
    message: error.message,
  }));

const of = () => ({ projectId: live.projectId, serviceId: live.serviceId, engine: 'postgres' as const });
const backupSpec = (): BackupSpec => ({
  kind: 'backup',
  ...of(),
  backupId: testId('backup'),
  toDisk: true,
  remoteKey: null,
});
const pathOf = (backupId: string) => backupPath(fixture.host.dataDirectory, live.serviceId, backupId);
const filesThere = () => readdir(dirname(pathOf('x'))).catch(() => []);

async function backedUp(): Promise<{ id: string; facts: ArchiveFacts }> {
  const spec = backupSpec();
  const result = await createJobs(fixture.parts).backup.run(spec, secrets, testContext());
  if (!result.facts.archive) throw new Error(`no backup: ${JSON.stringify(result)}`);
  return { id: spec.backupId, facts: result.facts.archive };
}

function restoreSpec(
  { id, facts }: Awaited<ReturnType<typeof backedUp>>,
  more: Partial<RestoreSpec> = {},
): RestoreSpec {
  return {
    kind: 'restore',
    ...of(),
    restoreId: testId('restore'),
    backup: { id, serviceId: live.serviceId, ...facts },
    safetyBackupId: testId('backup'),
    ...more,
  };
}

const restore = (spec: RestoreSpec, context: TestContext = testContext()) =>
  outcome(createJobs(fixture.parts).restore.run(spec, secrets, context));
const recover = (spec: RestoreSpec) =>
  outcome(createJobs(fixture.parts).restore.recover(spec, {}, testContext()));
const answers = async () =>
  (await sql<{ answer: number }>('SELECT answer FROM kept ORDER BY 1')).map(({ answer }) => answer);
const databases = async () =>
  (await sql<{ datname: string }>("SELECT datname FROM pg_database WHERE datname LIKE 'longshore_%'")).map(
    ({ datname }) => datname,
  );

beforeAll(async () => {
  await sql(`CREATE TABLE kept (answer int PRIMARY KEY); INSERT INTO kept VALUES (42);
    CREATE SCHEMA "we-ird ""s"; CREATE TABLE "we-ird ""s"."t ; --" (v text, j jsonb, b bytea, at timestamptz);
    INSERT INTO "we-ird ""s"."t ; --" VALUES ('päß', '{"a": 12345678901234567890}', '\\x00ff', 'infinity'), (NULL, NULL, NULL, '4713-01-01 00:00:00 BC');
    CREATE TABLE parted (at date, v int) PARTITION BY RANGE (at);
    CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');
    INSERT INTO parted VALUES ('2026-05-01', 1), ('2026-06-01', 2);
    CREATE VIEW seen AS SELECT * FROM kept;`);
});

describe('a backup', () => {
  test('is one file with the size and the checksum that are told, and counts what it holds', async () => {
    const { id, facts } = await backedUp();
    expect(facts).toMatchObject({ localPath: pathOf(id), tables: 3, rows: 5, remoteKey: null });
    const { size, mode } = await stat(pathOf(id));
    expect([size, mode & 0o777]).toEqual([facts.sizeBytes, 0o600]);
    expect((await createReadStream(pathOf(id), { end: 4 }).toArray()).toString()).toBe('PGDMP');
  });

  test('that is aborted leaves no file', async () => {
    const before = await filesThere();
    const context = testContext();
    const running = outcome(createJobs(fixture.parts).backup.run(backupSpec(), secrets, context));
    context.abort();
    expect((await running).outcome).toBe('threw');
    expect(await filesThere()).toEqual(before);
  });

  test('that a dead runner began is gone after its next start', async () => {
    const before = await filesThere();
    const spec = backupSpec();
    await (await open(`${pathOf(spec.backupId)}.part`, 'w')).close();
    const recovered = outcome(createJobs(fixture.parts).backup.recover(spec, {}, testContext()));
    expect(await recovered).toMatchObject({ code: 'runner_restarted' });
    expect(await filesThere()).toEqual(before);
  });

  test('on a disk that is nearly full is refused with the numbers', async () => {
    const parts = { ...fixture.parts, readDiskSpace: async () => ({ freeBytes: 1e6, totalBytes: 1e9 }) };
    const refused = await outcome(createJobs(parts).backup.run(backupSpec(), secrets, testContext()));
    expect(refused).toMatchObject({
      code: 'disk_full',
      message: expect.stringMatching(/needs 269 MB and 1 MB are free/),
    });
  });

  test('of a database that does not run is refused', async () => {
    const spec = { ...backupSpec(), serviceId: testId('service') };
    const refused = await outcome(createJobs(fixture.parts).backup.run(spec, secrets, testContext()));
    expect(refused).toMatchObject({ code: 'database_down' });
  });
});

describe('a restore', () => {
  test('brings everything back, after a backup of what was there, which stands aside for a day', async () => {
    const backup = await backedUp();
    await sql('DELETE FROM kept; INSERT INTO kept VALUES (1), (2); DROP TABLE parted');
    const spec = restoreSpec(backup);
    const open = new pg.Client({
      host: '127.0.0.1',
      port: live.hostPort,
      user: 'app',
      password: env.POSTGRES_PASSWORD,
      database: env.POSTGRES_DB,
    });
    open.on('error', () => {});
    await open.connect();
    expect(await restore(spec)).toMatchObject({ outcome: 'succeeded', facts: { archive: { rows: 4 } } });
    await open.end().catch(() => {});
    expect(await answers()).toEqual([42]);
    expect(await sql('SELECT v, b, at::text FROM "we-ird ""s"."t ; --" WHERE v IS NOT NULL')).toEqual([
      { v: 'päß', b: Buffer.from([0, 255]), at: 'infinity' },
    ]);
    expect(await sql('SELECT * FROM parted')).toHaveLength(2);
    const old = fixture.oldData.at(-1);
    expect(await databases()).toEqual([`longshore_before_${old?.suffix}`]);
    const place = {
      ...(await findLive(fixture.parts, live.serviceId)),
      signal: new AbortController().signal,
      progress: () => {},
    };
    await postgresData.archive.removeOld(place, { suffix: old?.suffix ?? '' });
    expect(await databases()).toEqual([]);
    // The safety copy is a backup like any other.
    await restore(
      restoreSpec({
        id: spec.safetyBackupId,
        facts: { ...backup.facts, ...(await statOf(spec.safetyBackupId)) },
      }),
    );
  });

  test('of a file with one flipped byte is refused, and nothing was touched', async () => {
    const backup = await backedUp();
    await flipByte(pathOf(backup.id), backup.facts.sizeBytes);
    const files = await filesThere();
    expect(await restore(restoreSpec(backup))).toMatchObject({ code: 'backup_damaged' });
    expect(await filesThere()).toEqual(files);
    expect(await databases()).toEqual([]);
  });

  test('that finds other rows than were saved is refused, and the live data stays', async () => {
    const backup = await backedUp();
    const before = await answers();
    const more = { ...backup, facts: { ...backup.facts, rows: backup.facts.rows + 1 } };
    expect(await restore(restoreSpec(more))).toMatchObject({
      code: 'restore_failed',
      message: expect.stringMatching(/Nothing was changed/),
    });
    expect(await answers()).toEqual(before);
    expect(await databases()).toEqual([]);
  });

  test('without permission changes nothing', async () => {
    const backup = await backedUp();
    await sql('INSERT INTO kept VALUES (7)');
    expect(await restore(restoreSpec(backup), testContext({ grant: async () => false }))).toMatchObject({
      code: 'switch_denied',
    });
    expect(await answers()).toContain(7);
    expect(await databases()).toEqual([]);
    await sql('DELETE FROM kept WHERE answer = 7');
  });

  test('whose server dies while it loads says so, and leaves no database once the server is back', async () => {
    // Loading its one row takes until the end of the server.
    await sql(`CREATE FUNCTION held(int) RETURNS boolean LANGUAGE sql
        AS $$ SELECT pg_sleep(CASE WHEN current_database() LIKE 'longshore%' THEN 3600 ELSE 0 END) IS NOT NULL $$;
      CREATE TABLE slow (v int CHECK (public.held(v))); INSERT INTO slow VALUES (1)`);
    const backup = await backedUp();
    await sql('DROP TABLE slow; DROP FUNCTION held');
    const running = restore(restoreSpec(backup));
    const isHeld =
      "SELECT 1 FROM pg_stat_activity WHERE datname LIKE 'longshore%' AND wait_event = 'PgSleep'";
    await expect.poll(() => sql(isHeld), { timeout: 60_000 }).toHaveLength(1);
    const container = fixture.parts.docker.engine.getContainer(`longshore-${live.serviceId}-stable`);
    await container.kill();
    await container.start();
    expect(await running).toMatchObject({
      code: 'restore_failed',
      message: expect.stringMatching(/without a word.*database is stopped.*[^.]\. Nothing was changed\.$/),
    });
    expect(await databases()).toEqual([]);
    expect(await answers()).toEqual([42]);
  });

  test('removes what an earlier one could not, and nothing that was put aside', async () => {
    await sql('CREATE DATABASE longshore_restore_left');
    await sql('CREATE DATABASE longshore_before_kept');
    const backup = await backedUp();
    expect(await restore(restoreSpec(backup), testContext({ grant: async () => false }))).toMatchObject({
      code: 'switch_denied',
    });
    expect(await databases()).toEqual(['longshore_before_kept']);
    await sql('DROP DATABASE longshore_before_kept');
  });

  test('whose runner dies before the exchange has changed nothing, and the database takes connections', async () => {
    const backup = await backedUp();
    const spec = restoreSpec(backup);
    const reached = Promise.withResolvers<void>();
    const dead = testContext({
      grant() {
        reached.resolve();
        return new Promise<never>(() => {});
      },
    });
    void restore(spec, dead);
    await reached.promise;
    await sql(`UPDATE kept SET answer = 43`);
    expect(await recover(spec)).toMatchObject({ code: 'runner_restarted' });
    expect(await answers()).toEqual([43]);
    expect(await databases()).toEqual([]);
    await sql('UPDATE kept SET answer = 42');
  });

  test('whose runner dies after the exchange ends as succeeded', async () => {
    const spec = restoreSpec(await backedUp());
    expect((await restore(spec)).outcome).toBe('succeeded');
    expect((await recover(spec)).outcome).toBe('succeeded');
    expect(await answers()).toEqual([42]);
  });
});

async function statOf(backupId: string): Promise<Pick<ArchiveFacts, 'sizeBytes' | 'checksum'>> {
  const { createHash } = await import('node:crypto');
  const bytes = Buffer.concat(await createReadStream(pathOf(backupId)).toArray());
  return { sizeBytes: bytes.length, checksum: `sha256:${createHash('sha256').update(bytes).digest('hex')}` };
}
