/** Imports from one Redis that runs into another, through the real Worker and a real runner. */
import { readdir, readFile } from 'node:fs/promises';
import Docker from 'dockerode';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Json, type Longshore, startLongshore } from './support/longshore.ts';
import { filesBelow, findSecrets } from './support/written-secrets.ts';

const docker = new Docker();
const endsWithinMs = 90_000;
const keyCount = 50_000;
const password = 'tell-nobody/of this';
const expiresAt = Date.now() + 86_400_123;
let longshore: Longshore;
let source: Json;
let target: Json;
let sourceUrl: string;
let sourceHost: string;

beforeAll(async () => {
  longshore = await startLongshore();
  const project = await longshore.call('POST', '/api/projects', { name: 'Redis imports', description: '' });
  source = await deployed(project.body.project.id, 'old');
  target = await deployed(project.body.project.id, 'new');
  const { NetworkSettings, Config } = await docker.getContainer(`longshore-${source.id}-stable`).inspect();
  sourceHost = Object.values(NetworkSettings.Networks)[0]?.IPAddress ?? '';
  const own = Config.Env.find((one) => one.startsWith('REDIS_PASSWORD='))?.replace(/^[^=]*=/, '') ?? '';
  const client = new Redis({ host: sourceHost, password: own });
  try {
    await client.call('ACL', 'SETUSER', 'reader', 'on', `>${password}`, '~*', ...permissions);
    await client.mset(Array.from({ length: keyCount }, (_, at) => [`key:${at}`, `value ${at}`]).flat());
    await client.pexpireat('key:7', expiresAt);
    await client.select(5);
    await client.hset('five', { a: '1', b: '2' });
  } finally {
    client.disconnect();
  }
  sourceUrl = `redis://reader:${encodeURIComponent(password)}@${sourceHost}`;
});
const permissions = ['+select', '+scan', '+dump', '+pttl', '+pexpiretime', '+dbsize'];

afterAll(async () => {
  await longshore?.stop({ all: true });
  // Data outlives its instance, for whoever wants it back: nobody wants this.
  for (const service of [source, target]) {
    if (!service) continue;
    const { Volumes } = await docker.listVolumes({ filters: { name: [service.id] } });
    for (const { Name } of Volumes) await docker.getVolume(Name).remove();
  }
});

async function deployed(projectId: string, name: string): Promise<Json> {
  const body = { name, repoUrl: 'database', repoFullName: 'database:redis', env: [] };
  const { service } = (await longshore.call('POST', `/api/projects/${projectId}/services`, body)).body;
  const { deployment } = (await longshore.call('POST', `/api/services/${service.id}/deployments`)).body;
  const { status } = await longshore.finished(deployment.id, service.id);
  expect(status, await longshore.log(deployment.id)).toBe('running');
  return service;
}

const call = (of: Json, method: string, path: string, body?: unknown) =>
  longshore.call(method, `/api/services/${of.id}/database${path}`, body);

async function query(of: Json, sql: string, database = 0): Promise<Json> {
  const { status, body } = await call(of, 'POST', '/query', { sql, database });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.rows.map((row: Json) => row.value);
}

const begin = (body: Json = {}) => call(target, 'POST', '/import/redis-url', { sourceUrl, ...body });
const listed = async (id: string): Promise<Json> =>
  (await call(target, 'GET', '/imports')).body.imports.find((one: Json) => one.id === id);

async function ended(id: string): Promise<Json> {
  await expect.poll(async () => (await listed(id)).status, { timeout: endsWithinMs }).not.toBe('running');
  return listed(id);
}

/** What every process of this machine was called with. */
async function allArguments(): Promise<string> {
  const processes = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = processes.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => ''));
  return (await Promise.all(lines)).join('\n');
}

test('an import brings every key with its time; its password is in no answer, no argument and no file', async () => {
  const { status, body } = await begin();
  expect([status, body.result]).toEqual([
    200,
    {
      id: expect.stringMatching(/^imp_/),
      status: 'running',
      source: 'redis-url',
      createdAt: expect.stringMatching(/Z$/),
    },
  ]);
  const seen: string[] = [];
  const look = async () => {
    seen.push(await allArguments());
    return (await listed(body.result.id)).status;
  };
  await expect.poll(look, { timeout: endsWithinMs, interval: 50 }).not.toBe('running');
  const done = await listed(body.result.id);
  expect(done).toMatchObject({
    ...{ status: 'succeeded', error: null, engine: 'redis', source: 'redis-url' },
    sourceLabel: `${sourceHost}/*`,
  });
  for (const of of [source, target]) expect(await query(of, 'DBSIZE')).toEqual([String(keyCount)]);
  expect(await query(target, 'GET key:49999')).toEqual(['value 49999']);
  expect(await query(target, 'PEXPIRETIME key:7')).toEqual([String(expiresAt)]);
  expect(await query(target, 'HGET five b', 5)).toEqual(['2']);
  const told = `${seen.join('\n')}${JSON.stringify([body, done])}`;
  for (const secret of [password, encodeURIComponent(password)]) expect(told).not.toContain(secret);
  expect(await findSecrets(await filesBelow(longshore.dataDirectory), { password, sourceUrl })).toEqual([]);
});

test('into what is filled is refused, also in another logical database, unless it may be replaced: that is a backup then', async () => {
  await query(target, 'FLUSHDB');
  const refused = await begin();
  expect([refused.status, refused.body.code, refused.body.error]).toEqual([
    409,
    'conflict',
    expect.stringMatching(/not empty: it has the logical database 5 \(keys: 1\)\./),
  ]);
  const done = await ended((await begin({ replace: true })).body.result.id);
  expect(done).toMatchObject({ status: 'succeeded', safetyBackupId: expect.stringMatching(/^bak_/) });
  expect(await query(target, 'DBSIZE')).toEqual([String(keyCount)]);
  const { backups } = (await call(target, 'GET', '/backups')).body;
  expect(backups).toMatchObject([
    { id: done.safetyBackupId, status: 'succeeded', trigger: 'pre-restore', rows: 1 },
  ]);
});

test('with a wrong password fails with the words of the server, and changes nothing', async () => {
  const wrong = sourceUrl.replace(encodeURIComponent(password), 'not-the-password');
  const done = await ended((await begin({ sourceUrl: wrong, replace: true })).body.result.id);
  expect(done).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/WRONGPASS.*Nothing was changed/),
  });
  expect(JSON.stringify(done)).not.toContain('not-the-password');
  expect(await query(target, 'DBSIZE')).toEqual([String(keyCount)]);
});

test('from a URL that is none is 400, and so is one into another engine', async () => {
  const { status, body } = await begin({ sourceUrl: 'redis://:tell-nobody@host/x' });
  expect([status, body.code, body.error]).toEqual([
    400,
    'invalid_request',
    expect.stringMatching(/^sourceUrl: .*number of one logical database/),
  ]);
  expect(JSON.stringify(body)).not.toContain('tell-nobody');
  const other = await call(target, 'POST', '/import/postgres-url', { sourceUrl: 'postgres://u:p@h/d' });
  expect([other.status, other.body.code]).toEqual([400, 'unsupported']);
});
