/** Restore drills with the real servers: what is proven, what is not, and that nothing is left of any. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DrillSpec } from '../../../../protocol/job-spec.ts';
import type { JobParts } from '../../../../runner/jobs/index.ts';
import { deployFixture, stable } from '../../../support/docker/deploy-fixture.ts';
import { inspect } from '../../../support/docker/docker-host.ts';
import {
  abortedAt,
  type Backup,
  type Database,
  type DatabaseImage,
  deployDatabase,
} from '../../../support/docker/use-databases.ts';
import { type TestContext, testContext } from '../../../support/runner/job-context.ts';
import { asked, env as clickhouseEnv, image as clickhouseImage } from '../../engines/clickhouse-fixture.ts';
import { mongoEnv, mongoImage, withMongo } from '../../engines/mongodb-fixture.ts';

const runDrill = fileURLToPath(new URL('../../../support/docker/run-drill.ts', import.meta.url));

interface Subject extends DatabaseImage {
  /** Three rows in two tables. (TimescaleDB counts the chunks of one, too.) */
  fill(database: Database): Promise<unknown>;
  /** Where the runner dies. */
  deaths: string[];
}

/** By the engine's own tools. */
const inShell = (script: string) => async (database: Database) =>
  await database.printed(['sh', '-c', script]);

const subjects: Subject[] = [
  {
    engine: 'postgres',
    image: 'postgres:17',
    env: { POSTGRES_DB: 'we-ird "db', POSTGRES_USER: 'app', POSTGRES_PASSWORD: "pa's" },
    // A user of its own owns a table: there is none of that name in a new server.
    fill: inShell(`psql -v ON_ERROR_STOP=1 -U app -d "$POSTGRES_DB" -c "CREATE TABLE kept (v int); INSERT INTO kept VALUES (1), (2);
      CREATE ROLE stranger; CREATE TABLE theirs (v int); INSERT INTO theirs VALUES (3); ALTER TABLE theirs OWNER TO stranger"`),
    deaths: ['fetch:begun', 'load:begun', 'load:done', 'prove:begun'],
  },
  {
    engine: 'timescale',
    image: 'timescale/timescaledb:latest-pg17',
    env: { POSTGRES_DB: 'app', POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'secret' },
    fill: inShell(`psql -v ON_ERROR_STOP=1 -U app -d app -c "CREATE TABLE kept (at timestamptz NOT NULL, v int)" \\
      -c "SELECT create_hypertable('kept', 'at')" -c "INSERT INTO kept VALUES ('2026-01-01', 1), ('2026-03-01', 2)" \\
      -c "CREATE TABLE more AS SELECT 3 AS v"`),
    deaths: [],
  },
  {
    engine: 'redis',
    image: 'redis:8',
    env: { REDIS_PASSWORD: `it's "so"` },
    fill: inShell(`export REDISCLI_AUTH="$REDIS_PASSWORD"; redis-cli mset a 1 b 2 && redis-cli -n 3 set c 3`),
    deaths: ['load:begun', 'load:done'],
  },
  {
    engine: 'mysql',
    image: 'mysql:9',
    env: { MYSQL_DATABASE: 'app', MYSQL_USER: 'app', MYSQL_PASSWORD: 'secret', MYSQL_ROOT_PASSWORD: 'root' },
    fill: inShell(`MYSQL_PWD=root mysql -uroot app -e "CREATE TABLE kept (v int); INSERT INTO kept VALUES (1), (2);
      CREATE TABLE more (v int); INSERT INTO more VALUES (3)"`),
    deaths: ['load:done'],
  },
  {
    engine: 'mongodb',
    image: mongoImage,
    env: mongoEnv,
    fill: ({ port }) =>
      withMongo({ host: '127.0.0.1', port }, mongoEnv, async (client) => {
        await client
          .db('app')
          .collection('kept')
          .insertMany([{ v: 1 }, { v: 2 }]);
        await client.db('other').collection('more').insertOne({ v: 3 });
      }),
    deaths: ['load:done'],
  },
  {
    engine: 'clickhouse',
    image: clickhouseImage,
    env: clickhouseEnv,
    fill: ({ port }) =>
      asked({ host: '127.0.0.1', port }, clickhouseEnv, async (client) => {
        const table = (name: string) => `CREATE TABLE ${name} (v UInt8) ENGINE = MergeTree ORDER BY v`;
        const rows = ['INSERT INTO kept VALUES (1), (2)', 'INSERT INTO more VALUES (3)'];
        for (const query of [table('kept'), table('more'), ...rows]) await client.command({ query });
      }),
    deaths: ['prove:begun'],
  },
];

/** A filled database and its backup. */
async function drilled({ fill, ...image }: Subject) {
  const fixture = await deployFixture();
  const database = await deployDatabase(fixture, image);
  await fill(database);
  const backup = await database.backUp();
  const started = async () => (await inspect(fixture.parts.docker, stable(database.live))).State.StartedAt;
  const startedAt = await started();
  return {
    ...{ fixture, database, backup },
    path: database.pathOf(backup.id),
    spec: (more: Partial<Backup> = {}) => database.drillSpec({ ...backup, ...more }),
    drill: (spec: DrillSpec, context: TestContext = testContext(), parts: Partial<JobParts> = {}) =>
      database.run(spec, { context, parts }),
    /** The live container runs as it did, and beside it and its network and volume there is nothing. */
    async expectNothingLeft() {
      const leftovers = (await fixture.host.leftovers()).filter((name) => !/dep_/.test(name));
      const own = [`longshore-${database.live.projectId}`, stable(database.live)];
      expect(leftovers.toSorted()).toEqual(own.toSorted());
      expect(await fixture.host.volumes()).toHaveLength(1);
      expect(await started()).toBe(startedAt);
    },
  };
}

type Bench = Awaited<ReturnType<typeof drilled>>;

/** So many bytes in the middle of a file are others for the time of `work`. */
async function spoiled(path: string, count: number, work: () => Promise<void>): Promise<void> {
  const whole = await readFile(path);
  const start = Math.floor(whole.length / 2);
  await writeFile(
    path,
    whole.map((byte, at) => (at >= start && at < start + count ? byte ^ 0xff : byte)),
  );
  try {
    await work();
  } finally {
    await writeFile(path, whole);
  }
}

describe.each(subjects)('a drill of $engine', (subject) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await drilled(subject);
  });
  afterAll(() => bench?.fixture.remove());

  test('a drill verifies a backup, and leaves nothing but the live database untouched', async () => {
    expect(bench.backup.rows).toBe(3);
    const context = testContext();
    expect(await bench.drill(bench.spec(), context)).toEqual({ outcome: 'succeeded', facts: {} });
    const phases = context.phases.map(({ phase }) => phase);
    expect(phases.filter((phase, at) => phases.indexOf(phase) === at).slice(0, 2)).toEqual(['fetch', 'load']);
    await bench.expectNothingLeft();
  });

  test('a drill that counts other rows than were saved fails with both numbers', async () => {
    const { tables, rows } = bench.backup;
    expect(await bench.drill(bench.spec({ rows: rows + 1 }))).toMatchObject({
      code: 'drill_failed',
      message: `The backup has ${rows + 1} rows in ${tables} tables, but ${rows} rows in ${tables} tables were loaded from it.`,
    });
    await bench.expectNothingLeft();
  });

  test('a file with one flipped byte is refused before anything is loaded', async () => {
    await spoiled(bench.path, 1, async () => {
      const context = testContext();
      expect(await bench.drill(bench.spec(), context)).toMatchObject({ code: 'backup_damaged' });
      expect(context.phases.map(({ phase }) => phase)).toEqual(['fetch']);
    });
    await bench.expectNothingLeft();
  });

  test('a file that was spoiled before it got its checksum is reported as not loadable', async () => {
    await spoiled(bench.path, 64, async () => {
      const checksum = `sha256:${createHash('sha256')
        .update(await readFile(bench.path))
        .digest('hex')}`;
      expect(await bench.drill(bench.spec({ checksum }))).toMatchObject({
        code: 'drill_failed',
        message: expect.stringMatching(/^The backup could not be loaded: ./),
      });
    });
    await bench.expectNothingLeft();
  });

  test('a drill that is aborted while it loads leaves nothing', async () => {
    expect(await bench.drill(bench.spec(), abortedAt('load'))).toMatchObject({
      outcome: 'threw',
      message: 'job stopped: aborted',
    });
    await bench.expectNothingLeft();
  });

  test.each(subject.deaths)(
    'a drill whose runner dies at %s is ended by its next start, and leaves nothing',
    async (point) => {
      const spec = bench.spec();
      const child = spawn(process.execPath, [runDrill], {
        env: { ...process.env, CRASH_AT: point },
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const { docker, dataDirectory, networkRange } = bench.fixture.parts;
      const ended = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
      child.stdin.end(JSON.stringify({ instance: docker.instance, dataDirectory, networkRange, spec }));
      expect(await text(child.stdout)).toBe('');
      expect(await ended).toBe('SIGKILL');
      await bench.database.reconcile();
      expect(await bench.database.recover(spec)).toMatchObject({ code: 'runner_restarted' });
      await bench.expectNothingLeft();
      // Told again, it is the same.
      expect(await bench.database.recover(spec)).toMatchObject({ code: 'runner_restarted' });
    },
  );

  test('a drill on a host with too little disk or memory for a second database is refused with the numbers', async () => {
    const full = { readDiskSpace: async () => ({ freeBytes: 10 ** 6, totalBytes: 10 ** 9 }) };
    expect(await bench.drill(bench.spec(), testContext(), full)).toMatchObject({
      code: 'disk_full',
      message: expect.stringMatching(/needs about 269 MB of disk space, but only 1 MB are free/),
    });
    const busy = { readFreeMemory: async () => 10 ** 6 };
    expect(await bench.drill(bench.spec(), testContext(), busy)).toMatchObject({
      code: 'drill_skipped',
      message: expect.stringMatching(
        /memory limit of the service, \d+ MB, but only 1 MB are free on the host/,
      ),
    });
    await bench.expectNothingLeft();
  });
});

test('a drill of ClickHouse is as strict as a restore: both refuse a table whose dictionary is gone', async () => {
  const fixture = await deployFixture();
  try {
    const database = await deployDatabase(fixture, {
      ...{ engine: 'clickhouse', image: clickhouseImage, env: clickhouseEnv },
    });
    await asked({ host: '127.0.0.1', port: database.port }, clickhouseEnv, async (client) => {
      await client.command({
        query:
          "CREATE DICTIONARY gone (k UInt64) PRIMARY KEY k SOURCE(CLICKHOUSE(QUERY 'SELECT 1 AS k')) LAYOUT(FLAT()) LIFETIME(0)",
      });
      await client.command({ query: "CREATE TABLE shown (k UInt64) ENGINE = Dictionary('app.gone')" });
      await client.command({
        query: 'DROP DICTIONARY gone SETTINGS check_table_dependencies = 0',
      });
    });
    const backup = await database.backUp();
    expect(await database.run(database.drillSpec(backup))).toMatchObject({
      code: 'drill_failed',
      message: expect.stringContaining('Dictionary (`app.gone`) not found'),
    });
    expect(await database.run(database.restoreSpec(backup))).toMatchObject({
      code: 'restore_failed',
      message: expect.stringContaining('Dictionary (`app.gone`) not found'),
    });
  } finally {
    await fixture.remove();
  }
});
