/** Databases filled from files, by the very commands of docs/guide/imports.md: a backup of one service goes into another. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { curlEnvironment } from '../support/curl.ts';
import { type DatabasePair, databasePair } from '../support/instance/database-pair.ts';
import type { Json } from '../support/instance/longshore.ts';
import { useInstance } from '../support/instance/use-instance.ts';
import { filesBelow } from '../support/instance/written-secrets.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const rowCount = 50_000;
const longshore = useInstance();
let pair: DatabasePair;
/** The backup of the source, as it was downloaded. */
let file: string;

beforeAll(async () => {
  pair = await databasePair(longshore, 'postgres');
  const { source, call, query } = pair;
  await query(source, 'create table notes (id int primary key, text text)');
  await query(source, `insert into notes select n, md5(n::text) from generate_series(1, ${rowCount}) n`);
  const { backup } = (await call(source, 'POST', '/backups', { storage: 'disk' })).body;
  await pair.ended(async () => (await call(source, 'GET', '/backups')).body.backups, backup.id);
  const answer = await longshore.download(
    `/api/services/${source.id}/database/backups/${backup.id}/download`,
  );
  file = join(longshore.dataDirectory, 'a dump');
  await writeFile(file, Buffer.from(await answer.arrayBuffer()));
});

const countNotes = async () => (await pair.query(pair.target, 'select count(*)::int as n from notes'))[0]?.n;
const ended = (id: string) => pair.ended(pair.imports, id);
const read = async (path: string) => (await pair.call(pair.target, 'GET', path)).body;

/** The commands of a document's shell block that begins so, from that line to the end of the block. */
async function commandsOf(document: string, begin: string): Promise<string> {
  const text = await readFile(join(root, document), 'utf8');
  const [, ...blocks] = text.split('```sh\n');
  const block = blocks.find((one) => one.startsWith(begin));
  if (block === undefined) throw new Error(`${document} has no shell block that begins with ${begin}`);
  return block.slice(0, block.indexOf('\n```'));
}

/** Runs commands of a document, after the first calls that it goes on from. @returns the answer of the last one */
async function shell(commands: string, more: Record<string, string> = {}): Promise<Json> {
  const firstCalls = await readFile(join(root, 'docs/guide/first-calls.md'), 'utf8');
  const functions = [...firstCalls.matchAll(/^(?:api|field)\(\) .*$/gm)].map(([line]) => line);
  expect(functions).toHaveLength(2);
  const local = JSON.parse(await readFile(join(longshore.dataDirectory, 'local.json'), 'utf8'));
  const env = { KEY: local.apiKey, API: local.url, DATABASE: pair.target.id, FILE: file, ...more };
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
  const done = await ended(result.id);
  expect(done).toMatchObject({
    status: 'succeeded',
    error: null,
    sourceLabel: expect.stringMatching(/^file\//),
  });
  expect(await countNotes()).toBe(rowCount);
  expect([(await read('/uploads')).uploads, await leftovers()]).toEqual([[], []]);
});

test('the commands for parts fill it too, resume a broken upload, and back up what was there', async () => {
  await pair.query(pair.target, 'delete from notes where id > 10');
  const bytes = await readFile(file);
  const checksum = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const announced = { sizeBytes: bytes.length, checksum };
  const { upload } = (await pair.call(pair.target, 'POST', '/uploads', announced)).body;
  const commands = await commandsOf('docs/guide/imports.md', 'DB=/api/services/$DATABASE/database\nSUM=');
  const { result } = await shell(commands, { UPLOAD: upload.id });
  const done = await ended(result.id);
  expect(done).toMatchObject({ status: 'succeeded', safetyBackupId: expect.stringMatching(/^bak_/) });
  expect(await countNotes()).toBe(rowCount);
  const { backups } = await read('/backups');
  expect(backups.find(({ id }: Json) => id === done.safetyBackupId)).toMatchObject({ rows: 10 });
  const again = await shell(commands);
  expect(await ended(again.result.id)).toMatchObject({ status: 'succeeded' });
});

test('a damaged file and a text are refused with the reason; the data stays and no file is left', async () => {
  const bytes = await readFile(file);
  const damaged = join(longshore.dataDirectory, 'damaged');
  const text = join(longshore.dataDirectory, 'text');
  await writeFile(damaged, bytes.subarray(0, -5000));
  await writeFile(text, 'Dear reader,\n');
  const one = await commandsOf('docs/guide/imports.md', 'curl -sS -H "Authorization');
  for (const [path, why] of [
    [damaged, /not a complete backup of PostgreSQL.*Nothing was changed/s],
    [text, /make it with pg_dump -Fc\. Nothing was changed/],
  ] as const) {
    const { result } = await shell(one, { FILE: path });
    expect(await ended(result.id)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(why),
    });
  }
  expect(await countNotes()).toBe(rowCount);
  expect([(await read('/uploads')).uploads, await leftovers()]).toEqual([[], []]);
  const { url } = JSON.parse(await readFile(join(longshore.dataDirectory, 'local.json'), 'utf8')) as Json;
  const route = `${url}/api/services/${pair.target.id}/database/import/file`;
  const upload = ['-s', '-T', text, '-H', 'Authorization: Bearer nobody', route];
  const refused = await run('curl', upload, { env: await curlEnvironment() });
  expect(JSON.parse(refused.stdout)).toMatchObject({ code: 'unauthenticated' });
});
