/** Settings of database servers: what is stored, what is refused and how, and what the host is told. */
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { services } from '../../../../worker/store/schema/services.ts';
import { openDatabase } from '../../../../worker/store/sql/database.ts';
import type { Json } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost } from '../../../support/worker/host.ts';
import { serviceBench } from '../../../support/worker/services.ts';

let names = 0;

const bench = await serviceBench();

const database = (engine: string, more: object = {}) =>
  bench.created({
    name: `db-${++names}`,
    repoFullName: `database:${engine}`,
    repoUrl: 'database',
    ...more,
  });

/** Writes columns that only hosts and older versions write. */
const write = (id: string, columns: Partial<typeof services.$inferInsert>) =>
  openDatabase(env.DB).update(services).set(columns).where(eq(services.id, id));

test('settings are stored in one form; a change keeps the others, null removes one, and instead of all of them all', async () => {
  const { id, engineSettings } = await database('postgres', {
    engineSettings: { max_connections: 300, work_mem: '16 mb', statement_timeout: '30s' },
  });
  expect(engineSettings).toEqual({ max_connections: '300', statement_timeout: '30s', work_mem: '16MB' });
  const change = { max_connections: null, shared_preload_libraries: 'pg_stat_statements' };
  const changed = (await bench.patch(id, { engineSettings: change })).body.service;
  expect(changed.engineSettings).toEqual({
    shared_preload_libraries: 'pg_stat_statements',
    statement_timeout: '30s',
    work_mem: '16MB',
  });
  expect((await bench.patch(id, { branch: 'x' })).body.service.engineSettings).toEqual(
    changed.engineSettings,
  );
  expect((await bench.patch(id, { engineSettings: null })).body.service.engineSettings).toEqual({});
});

test.each<[string, object, RegExp]>([
  [
    'postgres',
    { max_connections: 5 },
    /"engineSettings.max_connections" must be a whole number from 10 to 10000, such as 300\./,
  ],
  [
    'postgres',
    { work_mem: '16' },
    /"engineSettings.work_mem" must be a size from 64kB to 64GB with its unit .*, such as "16MB"\./,
  ],
  ['postgres', { work_mem: '65GB' }, /"engineSettings.work_mem"/],
  [
    'postgres',
    { statement_timeout: '2d' },
    /"engineSettings.statement_timeout" must be 0 for never, or a time up to 1d .* "30s"\./,
  ],
  [
    'postgres',
    { shared_preload_libraries: "x' -c" },
    /"engineSettings.shared_preload_libraries" must be names of libraries/,
  ],
  [
    'postgres',
    { wal_level: 'logical' },
    /"engineSettings.wal_level" can't be set: set "postgresLogicalReplicationEnabled" to true\./,
  ],
  [
    'timescale',
    { fsync: 'off' },
    /"engineSettings.fsync" can't be set. Settings of TimescaleDB that can be set here: max_connections, /,
  ],
  ['mysql', { sql_mode: 'NO_BACKSLASH_ESCAPES' }, /"engineSettings.sql_mode" must be a list with commas/],
  [
    'mysql',
    { default_time_zone: 'Europe/Berlin' },
    /"engineSettings.default_time_zone" must be an offset from UTC/,
  ],
  ['redis', { 'maxmemory-policy': 'lru' }, /"engineSettings.maxmemory-policy" must be one of "noeviction", /],
  ['redis', { constructor: 'x' }, /"engineSettings.constructor" can't be set/],
  [
    'redis',
    { maxmemory: '64MB' },
    /"engineSettings.maxmemory" is 64MB, and must be less than "memoryLimitMb" \(64 MB\)/,
  ],
  ['mongodb', { slowms: '1.5' }, /"engineSettings.slowms" must be a whole number/],
  ['clickhouse', { timezone: '<x/>' }, /"engineSettings.timezone" must be the name of a time zone/],
])('%s refuses %o and says what it takes', async (engine, engineSettings, sentence) => {
  const { id, engineSettings: none } = await database(engine, { memoryLimitMb: 64 });
  const { status, body } = await bench.patch(id, { engineSettings });
  expect([status, body.error]).toEqual([400, expect.stringMatching(sentence)]);
  const { service } = await bench.overview(id);
  expect(service.engineSettings).toEqual(none);
});

test('a memory limit below a chosen buffer is refused; one above it is not', async () => {
  const engineSettings = { shared_buffers: '1GB' };
  const { id } = await database('postgres', { engineSettings, memoryLimitMb: 2048 });
  expect((await bench.patch(id, { memoryLimitMb: 1024 })).body.error).toContain(
    '"engineSettings.shared_buffers"',
  );
  expect((await bench.patch(id, { memoryLimitMb: 1025 })).status).toBe(200);
});

test('other services have no engine settings', async () => {
  const body = {
    name: 'web',
    repoUrl: 'container-image',
    imageRef: 'nginx:1.27',
    engineSettings: { a: 'b' },
  };
  expect((await bench.create(body)).body).toMatchObject({
    code: 'unsupported',
    error: 'The field "engineSettings" is only for databases: leave it out.',
  });
});

test('the start command of a database is refused with the way to its settings, at creation and later', async () => {
  const startCommand = 'postgres -c max_connections=300';
  const refusal = { code: 'unsupported', error: expect.stringContaining('"engineSettings"') };
  const reply = await bench.create({
    name: 'started',
    repoFullName: 'database:postgres',
    repoUrl: 'database',
    startCommand,
  });
  expect(reply.body).toMatchObject(refusal);
  const { id } = await database('postgres');
  expect((await bench.patch(id, { startCommand })).body).toMatchObject(refusal);
  expect((await bench.patch(id, { startCommand: null })).status).toBe(200);
});

describe('the host', () => {
  async function sourceOf(more: object, columns: Partial<typeof services.$inferInsert> = {}): Promise<Json> {
    const host = await newHost();
    const runner = await FakeRunner.connect(host.keys);
    const body = {
      name: 'db',
      repoFullName: 'database:postgres',
      repoUrl: 'database',
      runnerId: host.runnerId,
    };
    const { id } = await bench.created({ ...body, ...more }, host.project.id);
    if (Object.keys(columns).length > 0) await write(id, columns);
    await bench.call('POST', `/api/services/${id}/deployments`, { token: bench.token });
    return (await runner.nextDeployment()).spec.source;
  }

  test('the host receives the settings', async () => {
    const engineSettings = { max_connections: 300 };
    expect(await sourceOf({ engineSettings })).toMatchObject({ engineSettings: { max_connections: '300' } });
  });

  test('the host receives the image that was the default when the database was created, whatever the default is now', async () => {
    expect(await sourceOf({}, { defaultImageRef: 'postgres:16' })).toMatchObject({ imageRef: 'postgres:16' });
  });
});

test.each([
  ['postgres', 'postgres:18', '/database/upgrade'],
  ['postgres', 'docker.io/library/postgres:16-alpine', 'Create a new'],
  ['postgres', 'pgvector/pgvector:0.8.0-pg18', '/database/upgrade'],
  ['timescale', 'timescale/timescaledb:2.19.3-pg16', 'Create a new'],
])('%s: %s is refused with the way, because it can not read the data', async (engine, imageRef, way) => {
  const { id, databaseImage } = await database(engine);
  await write(id, { lastDeployedAt: 1 });
  const { status, body } = await bench.patch(id, { imageRef });
  expect([status, body.code]).toEqual([409, 'conflict']);
  expect(body.error).toContain(`from "${databaseImage}" to "${imageRef}"`);
  expect(body.error).toContain(way);
});

test.each([
  ['postgres', 'postgres:17.5'],
  ['postgres', 'postgis/postgis:17-3.5'],
  ['postgres', 'registry.example:5000/own/server:2026'],
  ['mysql', 'mysql:8.4'],
])('%s: %s may be tried', async (engine, imageRef) => {
  const { id } = await database(engine);
  await write(id, { lastDeployedAt: 1 });
  expect((await bench.patch(id, { imageRef })).body.service).toMatchObject({
    imageRef,
    databaseImage: imageRef,
  });
});
