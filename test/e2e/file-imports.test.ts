/** Databases filled from files, by the very commands of docs/guide/imports.md: a backup of one service goes into another. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { curlEnvironment } from '../support/curl.ts';
import { type Json, type Longshore, startLongshore } from './support/longshore.ts';
import { filesBelow } from './support/written-secrets.ts';

const docker = new Docker();
const run = promisify(execFile);
const root = new URL('../..', import.meta.url).pathname;
const endsWithinMs = 120_000;
const rowCount = 50_000;
let longshore: Longshore;
let source: Json;
let target: Json;
/** The backup of `source`, as it was downloaded. */
let file: string;

beforeAll(async () => {
  longshore = await startLongshore();
  const project = await longshore.call('POST', '/api/projects', { name: 'Files', description: '' });
  source = await deployed(project.body.project.id, 'old');
  target = await deployed(project.body.project.id, 'new');
  await query(source, 'create table notes (id int primary key, text text)');
  await query(source, `insert into notes select n, md5(n::text) from generate_series(1, ${rowCount}) n`);
  const { backup } = (await call(source, 'POST', '/backups', { storage: 'disk' })).body;
  await ended(async () => (await call(source, 'GET', '/backups')).body.backups, backup.id);
  const answer = await longshore.download(
    `/api/services/${source.id}/database/backups/${backup.id}/download`,
  );
  file = join(longshore.dataDirectory, 'a dump');
  await writeFile(file, Buffer.from(await answer.arrayBuffer()));
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
const imports = async () => (await call(target, 'GET', '/imports')).body.imports;

/** Asked while a backup or an import runs; the calls of a key are counted. */
async function ended(list: () => Promise<Json[]>, id: string): Promise<Json> {
  for (const giveUpAt = performance.now() + endsWithinMs; ; await pause(250)) {
    const one = (await list()).find((each) => each.id === id);
    if (one && one.status !== 'running') return one;
    if (performance.now() > giveUpAt) throw new Error(`${id} does not end: ${JSON.stringify(one)}`);
  }
}

/** The commands of a document's shell block that begins so, from that line to the end of the block. */
async function commandsOf(document: string, begin: string): Promise<string> {
  const text = await readFile(join(root, document), 'utf8');
  const [, ...blocks] = text.split('```sh\n');
  const block = blocks.find((one) => one.startsWith(begin));
  if (block === undefined) throw new Error(`${document} has no shell block that begins with ${begin}`);
  return block.slice(0, block.indexOf('\n```'));
}

/** Runs commands of a document, after those of the README that it goes on from. @returns the answer of the last one */
async function shell(commands: string, more: Record<string, string> = {}): Promise<Json> {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const functions = [...readme.matchAll(/^(?:api|field)\(\) .*$/gm)].map(([line]) => line);
  expect(functions).toHaveLength(2);
  const local = JSON.parse(await readFile(join(longshore.dataDirectory, 'local.json'), 'utf8'));
  const env = { KEY: local.apiKey, API: local.url, DATABASE: target.id, FILE: file, ...more };
  const script = ['set -e', ...functions, commands].join('\n');
  const { stdout } = await run('bash', ['-c', script], { env: { ...(await curlEnvironment()), ...env } });
  return JSON.parse(
    stdout
      .trim()
      .split('\n')
      .at(-1)
      ?.replace(/^.*\}\{/, '{') ?? '',
  );
}

/** Objects of uploads in the bucket, and files that were fetched for an import. */
const leftovers = async () =>
  (await filesBelow(longshore.dataDirectory)).filter((path) => /\.uploaded/.test(path));

test('the single command in the docs fills a database from a backup of another one', async () => {
  const { result } = await shell(await commandsOf('docs/guide/imports.md', 'curl -sS -H "Authorization'));
  expect(result).toMatchObject({ status: 'running', source: 'file' });
  const done = await ended(imports, result.id);
  expect(done).toMatchObject({
    status: 'succeeded',
    error: null,
    sourceLabel: expect.stringMatching(/^file\//),
  });
  expect(await countNotes(target)).toBe(rowCount);
  expect([(await call(target, 'GET', '/uploads')).body.uploads, await leftovers()]).toEqual([[], []]);
});

test('the commands for parts fill it too, resume a broken upload, and back up what was there', async () => {
  await query(target, 'delete from notes where id > 10');
  const bytes = await readFile(file);
  const checksum = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const { upload } = (await call(target, 'POST', '/uploads', { sizeBytes: bytes.length, checksum })).body;
  const commands = await commandsOf('docs/guide/imports.md', 'DB=/api/services/$DATABASE/database\nSUM=');
  const { result } = await shell(commands, { UPLOAD: upload.id });
  const done = await ended(imports, result.id);
  expect(done).toMatchObject({ status: 'succeeded', safetyBackupId: expect.stringMatching(/^bak_/) });
  expect(await countNotes(target)).toBe(rowCount);
  const { backups } = (await call(target, 'GET', '/backups')).body;
  expect(backups.find(({ id }: Json) => id === done.safetyBackupId)).toMatchObject({ rows: 10 });
  const again = await shell(commands);
  expect(await ended(imports, again.result.id)).toMatchObject({ status: 'succeeded' });
});

test('a damaged file and a text are refused with the reason; the data stays and no file is left', async () => {
  const bytes = await readFile(file);
  const damaged = join(longshore.dataDirectory, 'damaged');
  const text = join(longshore.dataDirectory, 'text');
  await writeFile(damaged, bytes.subarray(0, -5000));
  await writeFile(text, 'Dear reader,\n');
  const one = await commandsOf('docs/guide/imports.md', 'curl -sS -H "Authorization');
  for (const [path, why] of [
    [damaged, /pg_restore .*Nothing was changed/s],
    [text, /make it with pg_dump -Fc\. Nothing was changed/],
  ] as const) {
    const { result } = await shell(one, { FILE: path });
    expect(await ended(imports, result.id)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(why),
    });
  }
  expect(await countNotes(target)).toBe(rowCount);
  expect([(await call(target, 'GET', '/uploads')).body.uploads, await leftovers()]).toEqual([[], []]);
  const refused = await run(
    'curl',
    [
      ...['-s', '-T', text, '-H', 'Authorization: Bearer nobody'],
      `${(JSON.parse(await readFile(join(longshore.dataDirectory, 'local.json'), 'utf8')) as Json).url}/api/services/${target.id}/database/import/file`,
    ],
    { env: await curlEnvironment() },
  );
  expect(JSON.parse(refused.stdout)).toMatchObject({ code: 'unauthenticated' });
});
