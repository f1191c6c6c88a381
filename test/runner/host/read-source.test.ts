/** Sources that a host reads before there is a service, from a real git server. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { PlannedSource, SourcePlanAnswer } from '../../../protocol/sources/source-plan.ts';
import { sourcePlanAnswerSchema } from '../../../protocol/sources/source-plan.ts';
import { readDiskSpace } from '../../../runner/docker/disk-space.ts';
import { SourceReader, type SourceReaderParts } from '../../../runner/host/read-source.ts';
import { commitRepository } from '../../support/runner/repository.ts';
import { type GitServer, type GitServerOptions, serveGit } from '../../support/servers/git-server.ts';

let root: string;
let server: GitServer | undefined;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'longshore-read-'));
});
afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(root, { recursive: true, force: true });
});

const dataDirectory = () => join(root, 'data');
const noSecrets = { gitToken: null, registries: [] };
const files = {
  'package.json': '{"scripts":{"start":"node ."},"dependencies":{"pg":"8"}}',
  'package-lock.json': '{"lockfileVersion":3,"packages":{}}',
  '.env.example': 'STRIPE_KEY=',
  'apps/api/Dockerfile': 'FROM debian\nEXPOSE 4000',
};

function reader(more: Partial<SourceReaderParts> = {}): SourceReader {
  // Repositories and folders need no Docker.
  const docker = undefined as never;
  return new SourceReader({
    docker,
    dataDirectory: dataDirectory(),
    allowPrivate: true,
    readDiskSpace,
    ...more,
  });
}

const git = (name: string, more: Partial<Extract<PlannedSource, { type: 'git' }>> = {}): PlannedSource => ({
  ...{ type: 'git', url: `${server?.url}/${name}`, branch: null, rootDir: null },
  ...more,
});

async function read(
  source: PlannedSource,
  secrets: object = noSecrets,
  by: SourceReader = reader(),
): Promise<SourcePlanAnswer> {
  const answer = await by.read({ source, secrets: JSON.stringify(secrets) });
  return sourcePlanAnswerSchema.parse(answer);
}

async function serving(options: GitServerOptions = {}) {
  server = await serveGit(join(root, 'git'), options);
}

test('a repository is read at its default branch, with its branches and commit, and leaves nothing behind', async () => {
  const sha = commitRepository(join(root, 'git'), 'shop', files, 'trunk');
  execFileSync('git', ['-C', join(root, 'git/shop'), 'branch', 'next']);
  await serving();
  const answer = await read(git('shop'));
  expect(answer).toMatchObject({
    found: 'plan',
    plan: {
      ...{ builtBy: 'analyzer', language: 'node', branch: 'trunk', branches: ['trunk', 'next'] },
      ...{ commitSha: sha, commitMessage: 'change', folders: [{ path: 'apps/api', what: 'Dockerfile' }] },
      variables: [{ key: 'STRIPE_KEY' }],
      databases: [{ engine: 'postgres', why: 'pg in package.json', key: null }],
    },
  });
  expect(readdirSync(join(dataDirectory(), 'readings'))).toEqual([]);
});

test('a folder of a repository is read with its own port', async () => {
  commitRepository(join(root, 'git'), 'shop', files);
  await serving();
  expect(await read(git('shop', { rootDir: 'apps/api' }))).toMatchObject({
    plan: { builtBy: 'dockerfile', port: 4000, portReason: 'The Dockerfile exposes port 4000.' },
  });
});

test('the address of a page names a branch with slashes and a folder', async () => {
  commitRepository(join(root, 'git'), 'shop', files);
  execFileSync('git', ['-C', join(root, 'git/shop'), 'branch', 'feature/login']);
  await serving();
  expect(await read(git('shop', { treePath: 'feature/login/apps/api' }))).toMatchObject({
    plan: { branch: 'feature/login', rootDir: 'apps/api', port: 4000 },
  });
  expect(await read(git('shop', { treePath: 'feature/login' }))).toMatchObject({
    plan: { branch: 'feature/login', rootDir: null },
  });
  expect(await read(git('shop', { treePath: 'gone/apps' }))).toMatchObject({ reason: 'branch' });
});

test.each([
  ['a missing branch', { branch: 'mian' }, 'branch', 'Its default branch is "main"'],
  ['a missing directory', { rootDir: 'apps/web' }, 'directory', 'no directory "apps/web"'],
  ['a directory outside', { rootDir: '../x' }, 'unreadable', 'inside the repository'],
])('%s is refused with its reason and the way out', async (_, more, reason, words) => {
  commitRepository(join(root, 'git'), 'shop', files);
  await serving();
  expect(await read(git('shop', more))).toMatchObject({
    ...{ found: 'failure', reason },
    message: expect.stringContaining(words),
  });
  expect(readdirSync(join(dataDirectory(), 'readings'))).toEqual([]);
});

test('an empty repository says so', async () => {
  mkdirSync(join(root, 'git/empty'), { recursive: true });
  execFileSync('git', ['-C', join(root, 'git/empty'), 'init', '-q', '-b', 'main']);
  await serving();
  expect(await read(git('empty'))).toMatchObject({ found: 'failure', reason: 'empty' });
});

test('a private repository asks for a login, and is read with the token', async () => {
  commitRepository(join(root, 'git'), 'shop', files);
  await serving({ password: 'canary-token' });
  expect(await read(git('shop'))).toMatchObject({ found: 'failure', reason: 'login' });
  expect(await read(git('missing'))).toMatchObject({ found: 'failure', reason: 'login' });
  expect(await read(git('shop'), { ...noSecrets, gitToken: 'canary-token' })).toMatchObject({
    found: 'plan',
  });
});

test('a repository at a private address or above the limits is refused', async () => {
  commitRepository(join(root, 'git'), 'shop', { ...files, 'large.bin': 'x'.repeat(100_000) });
  await serving();
  const guarded = reader({ allowPrivate: false });
  expect(await read(git('shop'), noSecrets, guarded)).toMatchObject({
    found: 'failure',
    reason: 'unreadable',
  });
  const small = reader({ limits: { bytesMax: 10_000, filesMax: 10 } });
  expect(await read(git('shop'), noSecrets, small)).toMatchObject({
    ...{ found: 'failure', reason: 'unreadable' },
    message: expect.stringContaining('too large'),
  });
});

test('a full disk and a third reading at once are refused, and a reading ends when its time is over', async () => {
  commitRepository(join(root, 'git'), 'shop', files);
  const held = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await serving({
    gate: () => {
      asked.resolve();
      return held.promise;
    },
  });
  let expire = () => {};
  const clock = {
    now: () => 0,
    after: (_: number, run: () => void) => {
      expire = run;
      return () => {};
    },
  };
  const full = reader({ readDiskSpace: async () => ({ freeBytes: 1, totalBytes: 1e12 }) });
  expect(await read(git('shop'), noSecrets, full)).toMatchObject({
    message: expect.stringContaining('too little disk space'),
  });
  const busy = reader({ clock: clock as never });
  const two = [read(git('shop'), noSecrets, busy), read(git('shop'), noSecrets, busy)];
  await asked.promise;
  expect(await read(git('shop'), noSecrets, busy)).toMatchObject({ found: 'failure', reason: 'busy' });
  expire();
  expect(await two[1]).toMatchObject({ message: expect.stringContaining('could not be read in 50 s') });
  held.resolve();
  expect(await two[0]).toMatchObject({ found: 'plan' });
});

test('a folder is read from its list of files alone', async () => {
  const texts = { 'index.html': '<h1>hello</h1>' };
  const source = { type: 'folder', paths: ['index.html', 'a/b.png'], texts, rootDir: null } as const;
  expect(await read(source as never)).toMatchObject({
    found: 'plan',
    plan: { kind: 'static', branch: null, commitSha: null },
  });
});
