import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { projectOnDisk } from '../../../runner/builder/analyzer/disk-files.ts';
import { contextEntries, sourceEntries } from '../../../runner/builder/docker-context.ts';
import { packStaticFiles } from '../../../runner/builder/static-files.ts';
import { type TestFile, writeFiles } from '../../support/runner/repository.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'longshore-context-'));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

async function entries(files: Record<string, TestFile>, dockerfile = 'Dockerfile'): Promise<string[]> {
  writeFiles(root, files);
  return (await contextEntries(root, dockerfile)).sort();
}

test('everything but .git is sent', async () => {
  expect(
    await entries({ Dockerfile: '', 'a/b.txt': '', '.git/config': '', 'vendor/x/.git/config': '' }),
  ).toEqual(['Dockerfile', 'a/b.txt']);
});

test('.git stays out even when .dockerignore takes it back', async () => {
  expect(await entries({ Dockerfile: '', '.dockerignore': '!.git', '.git/config': '' })).toEqual([
    '.dockerignore',
    'Dockerfile',
  ]);
});

test('.dockerignore leaves out, takes back, and can’t leave out the Dockerfile', async () => {
  const files = {
    Dockerfile: '',
    '.dockerignore': '*\n!src\nsrc/*.log\n',
    'src/a.js': '',
    'src/b.log': '',
    other: '',
  };
  expect(await entries(files)).toEqual(['Dockerfile', 'src/a.js']);
});

test('a .dockerignore of the Dockerfile’s own overrides the common one', async () => {
  const files = {
    'web.Dockerfile': '',
    'web.Dockerfile.dockerignore': 'b',
    '.dockerignore': 'a',
    a: '',
    b: '',
  };
  expect(await entries(files, 'web.Dockerfile')).toContain('a');
  expect(await entries({}, 'web.Dockerfile')).not.toContain('b');
});

test('links are sent as links: the builder resolves them inside its copy', async () => {
  expect(await entries({ Dockerfile: '', passwd: { link: '/etc/passwd' } })).toEqual([
    'Dockerfile',
    'passwd',
  ]);
});

test('a Dockerfile that links out of the service root counts as missing', () => {
  writeFiles(root, { Dockerfile: { link: '/etc/passwd' } });
  expect(projectOnDisk(root).has('Dockerfile')).toBe(false);
});

test('the analyzer’s source keeps to .dockerignore and leaves out what an install makes', async () => {
  writeFiles(root, {
    '.dockerignore': 'notes',
    notes: '',
    'server.js': '',
    'node_modules/ms/index.js': '',
    'apps/web/node_modules/ms/index.js': '',
    '.git/config': '',
  });
  const ignored: string[] = [];
  expect((await sourceEntries(root, ignored)).sort()).toEqual(['.dockerignore', 'server.js']);
  expect(ignored.sort()).toEqual(['notes']);
});

test('a .dockerignore that is a link out is refused', async () => {
  writeFiles(root, { Dockerfile: '', '.dockerignore': { link: '/etc/passwd' } });
  await expect(contextEntries(root, 'Dockerfile')).rejects.toMatchObject({ code: 'source_refused' });
});

test('a static output that is a link out is refused', async () => {
  writeFiles(root, { dist: { link: '/etc' } });
  await expect(packStaticFiles(root, 'dist')).rejects.toMatchObject({ code: 'source_refused' });
});
