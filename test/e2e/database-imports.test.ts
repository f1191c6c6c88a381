/** Imports from one PostgreSQL that runs into another, through the real Worker and a real runner. */
import { readdir, readFile } from 'node:fs/promises';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Json, type Longshore, startLongshore } from './support/longshore.ts';
import { filesBelow, findSecrets } from './support/written-secrets.ts';

const docker = new Docker();
const endsWithinMs = 90_000;
const rowCount = 50_000;
const password = 'tell-nobody/of this';
let longshore: Longshore;
let source: Json;
let target: Json;
let sourceUrl: string;

beforeAll(async () => {
  longshore = await startLongshore();
  const project = await longshore.call('POST', '/api/projects', { name: 'Imports', description: '' });
  source = await deployed(project.body.project.id, 'old');
  target = await deployed(project.body.project.id, 'new');
  await query(source, 'create table notes (id int primary key, text text)');
  await query(source, `insert into notes select n, md5(n::text) from generate_series(1, ${rowCount}) n`);
  await query(source, `create role reader login password '${password}' in role pg_read_all_data`);
  const { NetworkSettings, Config } = await docker.getContainer(`longshore-${source.id}-stable`).inspect();
  const [network] = Object.values(NetworkSettings.Networks);
  const database = Config.Env.find((one) => one.startsWith('POSTGRES_DB='))?.replace(/^.*=/, '');
  sourceUrl = `postgres://reader:${encodeURIComponent(password)}@${network?.IPAddress}:5432/${database}`;
});

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
  const body = { name, repoUrl: 'database', repoFullName: 'database:postgres', env: [] };
  const { service } = (await longshore.call('POST', `/api/projects/${projectId}/services`, body)).body;
  const { deployment } = (await longshore.call('POST', `/api/services/${service.id}/deployments`)).body;
  const { status } = await longshore.finished(deployment.id, service.id);
  expect(status, await longshore.log(deployment.id)).toBe('running');
  return service;
}

const call = (of: Json, method: string, path: string, body?: unknown) =>
  longshore.call(method, `/api/services/${of.id}/database${path}`, body);

async function query(of: Json, sql: string): Promise<Json> {
  const { status, body } = await call(of, 'POST', '/query', { sql });
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

const countNotes = async (of: Json) => (await query(of, 'select count(*)::int as n from notes')).rows[0].n;
const begin = (body: Json = {}) => call(target, 'POST', '/import/postgres-url', { sourceUrl, ...body });
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

test('an import brings every row; its password is in no answer, no argument and no file', async () => {
  const { status, body } = await begin();
  expect([status, body.result]).toEqual([
    200,
    {
      id: expect.stringMatching(/^imp_/),
      status: 'running',
      source: 'postgres-url',
      createdAt: expect.stringMatching(/Z$/),
    },
  ]);
  const seen: string[] = [];
  await expect
    .poll(
      async () => {
        seen.push(await allArguments());
        return (await listed(body.result.id)).status;
      },
      { timeout: endsWithinMs, interval: 20 },
    )
    .not.toBe('running');
  const done = await listed(body.result.id);
  expect(done).toMatchObject({
    status: 'succeeded',
    error: null,
    engine: 'postgres',
    source: 'postgres-url',
  });
  expect(done.sourceLabel).toBe(
    new URL(sourceUrl.replace('postgres:', 'http:')).hostname + new URL(sourceUrl).pathname,
  );
  expect(await countNotes(target)).toBe(rowCount);
  expect(await countNotes(source)).toBe(rowCount);
  expect(
    seen.some((text) => text.includes('pg_dump')),
    'looked while it was copied',
  ).toBe(true);
  const told = `${seen.join('\n')}${JSON.stringify([body, done])}`;
  for (const secret of [password, encodeURIComponent(password)]) expect(told).not.toContain(secret);
  expect(await findSecrets(await filesBelow(longshore.dataDirectory), { password, sourceUrl })).toEqual([]);
});

test('into what is filled now is refused, unless it may be replaced: what was there is a backup then', async () => {
  const refused = await begin();
  expect([refused.status, refused.body.code, refused.body.error]).toEqual([
    409,
    'conflict',
    expect.stringMatching(/not empty: it has notes/),
  ]);
  await query(target, 'delete from notes where id > 10');
  const done = await ended((await begin({ replace: true })).body.result.id);
  expect(done).toMatchObject({ status: 'succeeded', safetyBackupId: expect.stringMatching(/^bak_/) });
  expect(await countNotes(target)).toBe(rowCount);
  const { backups } = (await call(target, 'GET', '/backups')).body;
  expect(backups).toMatchObject([
    { id: done.safetyBackupId, status: 'succeeded', trigger: 'pre-restore', rows: 10 },
  ]);
});

test('with a wrong password fails with the words of the server, and changes nothing', async () => {
  const wrong = sourceUrl.replace(encodeURIComponent(password), 'not-the-password');
  const done = await ended((await begin({ sourceUrl: wrong, replace: true })).body.result.id);
  expect(done).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/password authentication failed.*Nothing was changed/),
  });
  expect(JSON.stringify(done)).not.toContain('not-the-password');
  expect(await countNotes(target)).toBe(rowCount);
});
