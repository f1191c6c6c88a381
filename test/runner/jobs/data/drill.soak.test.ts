/** Restore drills with the real servers: what is proven, what is not, and that nothing is left of any. */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EngineName } from '../../../../protocol/database.ts';
import type { ArchiveFacts, JobResult } from '../../../../protocol/job-report.ts';
import type { DeploySpec, DrillSpec } from '../../../../protocol/job-spec.ts';
import { runTool } from '../../../../runner/engines/archive/run-tool.ts';
import type { ContainerTools } from '../../../../runner/engines/container-tools.ts';
import { reconcile } from '../../../../runner/host/reconcile.ts';
import { findLive } from '../../../../runner/jobs/data/data-attempt.ts';
import { createJobs, type JobParts } from '../../../../runner/jobs/index.ts';
import { backupPath } from '../../../../runner/storage/backup-files.ts';
import { freePorts } from '../../../support/free-ports.ts';
import { asked, env as clickhouseEnv, image as clickhouseImage } from '../../engines/clickhouse-fixture.ts';
import { mongoEnv, mongoImage, withMongo } from '../../engines/mongodb-fixture.ts';
import { type DeployFixture, deployFixture, stable } from '../../support/deploy-fixture.ts';
import { inspect, testId } from '../../support/docker-host.ts';
import { type TestContext, testContext } from '../../support/job-context.ts';

const secrets = { env: {}, gitToken: null };
const runDrill = fileURLToPath(new URL('../../support/run-drill.ts', import.meta.url));

interface Subject {
  engine: EngineName;
  imageRef: string;
  env: Record<string, string>;
  /** Three rows in two tables. (TimescaleDB counts the chunks of one, too.) */
  fill(live: DeploySpec, tools: ContainerTools): Promise<unknown>;
  /** Where the runner dies. */
  deaths: string[];
}

/** By the engine's own tools. */
const inShell = (script: string) => (_: DeploySpec, tools: ContainerTools) =>
  runTool({ tools, signal: AbortSignal.timeout(60_000) }, ['sh', '-c', script]);

const subjects: Subject[] = [
  {
    engine: 'postgres',
    imageRef: 'postgres:17',
    env: { POSTGRES_DB: 'we-ird "db', POSTGRES_USER: 'app', POSTGRES_PASSWORD: "pa's" },
    // A user of its own owns a table: there is none of that name in a new server.
    fill: inShell(`psql -v ON_ERROR_STOP=1 -U app -d "$POSTGRES_DB" -c "CREATE TABLE kept (v int); INSERT INTO kept VALUES (1), (2);
      CREATE ROLE stranger; CREATE TABLE theirs (v int); INSERT INTO theirs VALUES (3); ALTER TABLE theirs OWNER TO stranger"`),
    deaths: ['fetch:begun', 'load:begun', 'load:done', 'prove:begun'],
  },
  {
    engine: 'timescale',
    imageRef: 'timescale/timescaledb:latest-pg17',
    env: { POSTGRES_DB: 'app', POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'secret' },
    fill: inShell(`psql -v ON_ERROR_STOP=1 -U app -d app -c "CREATE TABLE kept (at timestamptz NOT NULL, v int)" \\
      -c "SELECT create_hypertable('kept', 'at')" -c "INSERT INTO kept VALUES ('2026-01-01', 1), ('2026-03-01', 2)" \\
      -c "CREATE TABLE more AS SELECT 3 AS v"`),
    deaths: [],
  },
  {
    engine: 'redis',
    imageRef: 'redis:8',
    env: { REDIS_PASSWORD: `it's "so"` },
    fill: inShell(`export REDISCLI_AUTH="$REDIS_PASSWORD"; redis-cli mset a 1 b 2 && redis-cli -n 3 set c 3`),
    deaths: ['load:begun', 'load:done'],
  },
  {
    engine: 'mysql',
    imageRef: 'mysql:9',
    env: { MYSQL_DATABASE: 'app', MYSQL_USER: 'app', MYSQL_PASSWORD: 'secret', MYSQL_ROOT_PASSWORD: 'root' },
    fill: inShell(`MYSQL_PWD=root mysql -uroot app -e "CREATE TABLE kept (v int); INSERT INTO kept VALUES (1), (2);
      CREATE TABLE more (v int); INSERT INTO more VALUES (3)"`),
    deaths: ['load:done'],
  },
  {
    engine: 'mongodb',
    imageRef: mongoImage,
    env: mongoEnv,
    fill: ({ hostPort }) =>
      withMongo({ host: '127.0.0.1', port: hostPort }, mongoEnv, async (client) => {
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
    imageRef: clickhouseImage,
    env: clickhouseEnv,
    fill: ({ hostPort }) =>
      asked({ host: '127.0.0.1', port: hostPort }, clickhouseEnv, async (client) => {
        const table = (name: string) => `CREATE TABLE ${name} (v UInt8) ENGINE = MergeTree ORDER BY v`;
        const rows = ['INSERT INTO kept VALUES (1), (2)', 'INSERT INTO more VALUES (3)'];
        for (const query of [table('kept'), table('more'), ...rows]) await client.command({ query });
      }),
    deaths: ['prove:begun'],
  },
];

const outcome = (running: Promise<JobResult>) =>
  running.catch((error: { code?: string; reason?: string; message: string }) => ({
    outcome: 'threw' as const,
    ...error,
    message: error.message,
  }));

/** A filled database and its backup. */
async function drilled({ engine, imageRef, env, fill }: Subject) {
  const fixture: DeployFixture = await deployFixture();
  const [hostPort = 0] = await freePorts(1);
  const source = { type: 'database', engine, imageRef, publicAddress: '127.0.0.1' } as const;
  const live: DeploySpec = fixture.spec({ source: { ...source, logicalReplication: false }, hostPort });
  const { result } = await fixture.deploy(live, { secrets: { env } });
  expect(result).toMatchObject({ outcome: 'succeeded' });
  const { tools } = await findLive(fixture.parts, live.serviceId);
  await fill(live, tools);
  const of = { projectId: live.projectId, serviceId: live.serviceId, engine };
  const backupId = testId('backup');
  const taking = { kind: 'backup', ...of, backupId, toDisk: true, remoteKey: null } as const;
  const taken = await createJobs(fixture.parts).backup.run(taking, secrets, testContext());
  if (!taken.facts.archive) throw new Error(`no backup: ${JSON.stringify(taken)}`);
  const facts: ArchiveFacts = taken.facts.archive;
  const started = async () => (await inspect(fixture.parts.docker, stable(live))).State.StartedAt;
  const startedAt = await started();
  const bench = {
    fixture,
    facts,
    path: backupPath(fixture.host.dataDirectory, live.serviceId, backupId),
    spec: (more: Partial<ArchiveFacts> = {}): DrillSpec => ({
      kind: 'drill',
      ...of,
      drillId: testId('drill'),
      backup: { id: backupId, serviceId: live.serviceId, ...facts, ...more },
    }),
    drill: (spec: DrillSpec, context: TestContext = testContext(), parts: Partial<JobParts> = {}) =>
      outcome(createJobs({ ...fixture.parts, ...parts }).drill.run(spec, secrets, context)),
    recover: (spec: DrillSpec) => outcome(createJobs(fixture.parts).drill.recover(spec, {}, testContext())),
    /** The live container runs as it did, and beside it and its network and volume there is nothing. */
    async expectNothingLeft() {
      const leftovers = (await fixture.host.leftovers()).filter((name) => !/dep_/.test(name));
      expect(leftovers.toSorted()).toEqual([`longshore-${live.projectId}`, stable(live)].toSorted());
      expect(await fixture.host.volumes()).toHaveLength(1);
      expect(await started()).toBe(startedAt);
    },
  };
  return bench;
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

  test('proves a backup, and leaves the live database as it is and nothing else', async () => {
    expect(bench.facts.rows).toBe(3);
    const context = testContext();
    expect(await bench.drill(bench.spec(), context)).toEqual({ outcome: 'succeeded', facts: {} });
    const phases = context.phases.map(({ phase }) => phase);
    expect(phases.filter((phase, at) => phases.indexOf(phase) === at).slice(0, 2)).toEqual(['fetch', 'load']);
    await bench.expectNothingLeft();
  });

  test('that counts other rows than were saved fails with both numbers', async () => {
    const { tables, rows } = bench.facts;
    expect(await bench.drill(bench.spec({ rows: rows + 1 }))).toMatchObject({
      code: 'drill_failed',
      message: `The backup was taken with ${rows + 1} rows in ${tables} tables, and ${rows} in ${tables} were loaded from it.`,
    });
    await bench.expectNothingLeft();
  });

  test('of a file with one flipped byte ends before anything is loaded', async () => {
    await spoiled(bench.path, 1, async () => {
      const context = testContext();
      expect(await bench.drill(bench.spec(), context)).toMatchObject({ code: 'backup_damaged' });
      expect(context.phases.map(({ phase }) => phase)).toEqual(['fetch']);
    });
    await bench.expectNothingLeft();
  });

  test('of a file that was spoiled before it got its checksum says that it can not be loaded', async () => {
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

  test('that is aborted while it loads leaves nothing', async () => {
    const context = testContext();
    const { enter } = context;
    const entering = {
      ...context,
      enter: (...of: Parameters<typeof enter>) => {
        enter(...of);
        if (of[0] === 'load') setImmediate(context.abort);
      },
    };
    expect(await bench.drill(bench.spec(), entering)).toMatchObject({ outcome: 'threw', reason: 'aborted' });
    await bench.expectNothingLeft();
  });

  test.each(subject.deaths)(
    'whose runner dies at %s is over after its next start, and nothing is left',
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
      await reconcile({ ...bench.fixture.parts, say: () => {} }, () => ({
        deployments: new Set<string>(),
        containers: new Set<string>(),
        restored: new Set<string>(),
      }));
      expect(await bench.recover(spec)).toMatchObject({ code: 'runner_restarted' });
      await bench.expectNothingLeft();
      // Told again, it is the same.
      expect(await bench.recover(spec)).toMatchObject({ code: 'runner_restarted' });
    },
  );

  test('is not begun where the host has too little disk or memory for a second database, and says how much', async () => {
    const full = { readDiskSpace: async () => ({ freeBytes: 10 ** 6, totalBytes: 10 ** 9 }) };
    expect(await bench.drill(bench.spec(), testContext(), full)).toMatchObject({
      code: 'disk_full',
      message: expect.stringMatching(/takes about 269 MB of disk space, and 1 MB are free/),
    });
    const busy = { readFreeMemory: async () => 10 ** 6 };
    expect(await bench.drill(bench.spec(), testContext(), busy)).toMatchObject({
      code: 'drill_skipped',
      message: expect.stringMatching(/may take \d+ MB of memory .* and 1 MB are free on the host/),
    });
    await bench.expectNothingLeft();
  });
});
