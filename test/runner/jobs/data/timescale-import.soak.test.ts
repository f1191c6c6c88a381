/** Imports into TimescaleDB: from another one, hypertables and all, and from a PostgreSQL that knows nothing of it. */
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { findLive } from '../../../../runner/jobs/data/data-attempt.ts';
import { createJobs } from '../../../../runner/jobs/index.ts';
import { freePorts } from '../../../support/free-ports.ts';
import { type DeployFixture, deployFixture } from '../../support/deploy-fixture.ts';
import { testId } from '../../support/docker-host.ts';
import { testContext } from '../../support/job-context.ts';

const env = { POSTGRES_DB: 'app', POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'a-password' };
const images = { timescale: 'timescale/timescaledb:latest-pg17', postgres: 'postgres:17' };

let fixture: DeployFixture;
let old: DeploySpec;
let plain: DeploySpec;
let target: DeploySpec;

beforeAll(async () => {
  fixture = await deployFixture();
  const ports = await freePorts(3);
  old = await deployed('timescale', ports[0]);
  plain = await deployed('postgres', ports[1]);
  target = await deployed('timescale', ports[2]);
});
afterAll(() => fixture?.remove());

async function deployed(engine: keyof typeof images, hostPort = 0): Promise<DeploySpec> {
  const serviceId = testId('service');
  const spec = fixture.spec({
    serviceId,
    serviceSlug: serviceId.replace('_', '-'),
    source: {
      type: 'database',
      engine,
      imageRef: images[engine],
      publicAddress: '127.0.0.1',
      logicalReplication: false,
    },
    hostPort,
  });
  expect((await fixture.deploy(spec, { secrets: { env } })).result.outcome).toBe('succeeded');
  return spec;
}

async function sql<Row extends pg.QueryResultRow>(of: DeploySpec, text: string): Promise<Row[]> {
  const { address } = await findLive(fixture.parts, of.serviceId);
  const client = new pg.Client({ ...address, user: 'app', password: env.POSTGRES_PASSWORD, database: 'app' });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

async function imported(from: DeploySpec, into: DeploySpec, engine: keyof typeof images) {
  const { address } = await findLive(fixture.parts, from.serviceId);
  const sourceUrl = `postgres://app:${env.POSTGRES_PASSWORD}@${address.host}:${address.port}/app`;
  const { projectId, serviceId } = into;
  const spec = { kind: 'import', projectId, serviceId, engine, source: 'postgres-url' } as const;
  return createJobs(fixture.parts)
    .import.run(
      { ...spec, importId: testId('import'), safetyBackupId: null },
      { env: {}, gitToken: null, sourceUrl },
      testContext(),
    )
    .catch(({ code, message }) => ({ outcome: 'threw', code, message }));
}

test('hypertables arrive with their chunks, and take new rows', async () => {
  await sql(
    old,
    `CREATE TABLE measured (at timestamptz NOT NULL, v int); SELECT create_hypertable('measured', 'at');
    INSERT INTO measured SELECT '2026-01-01'::timestamptz + n * interval '1 day', n FROM generate_series(1, 100) n`,
  );
  expect(await imported(old, target, 'timescale')).toMatchObject({ outcome: 'succeeded' });
  const held = `SELECT (SELECT count(*)::int FROM measured) AS rows,
    (SELECT count(*)::int FROM timescaledb_information.chunks WHERE hypertable_name = 'measured') AS chunks`;
  expect(await sql(target, held)).toEqual(await sql(old, held));
  await sql(target, `INSERT INTO measured VALUES ('2027-01-01', 1)`);
  expect(await sql(target, 'SELECT count(*)::int AS n FROM measured')).toEqual([{ n: 101 }]);
  await sql(target, 'DROP TABLE measured');
});

test('a PostgreSQL without it fills one that has it', async () => {
  await sql(plain, 'CREATE TABLE kept (answer int); INSERT INTO kept VALUES (42)');
  expect(await imported(plain, target, 'timescale')).toMatchObject({ outcome: 'succeeded' });
  expect(await sql(target, 'SELECT * FROM kept')).toEqual([{ answer: 42 }]);
  await sql(plain, 'DROP TABLE kept');
});

test('a PostgreSQL that does not have it is not filled from one that has', async () => {
  expect(await imported(old, plain, 'postgres')).toMatchObject({
    code: 'import_refused',
    message: expect.stringMatching(/does not have: timescaledb/),
  });
});
