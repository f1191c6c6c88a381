/** What of a folder is sent. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { listFolder } from '../../../cli/folder/list-folder.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

function folderOf(files: Record<string, string>, folder = temporaryDirectory()): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const pathsOf = async (folder: string) => (await listFolder(folder)).entries.map(({ path }) => path);

test('history, packages, secrets and files of the command line are not sent, at any depth', async () => {
  const folder = folderOf({
    'index.js': '1',
    '.env': 'SECRET=1',
    '.env.local': 'SECRET=1',
    '.env.example': 'SECRET=',
    '.longshore.json': '{}',
    '.longshoreignore': '',
    '.git/HEAD': 'ref: refs/heads/main',
    'node_modules/a/index.js': '1',
    'api/.env': 'SECRET=1',
    'api/index.js': '1',
    'api/node_modules/a/index.js': '1',
    'lib/.git': 'gitdir: ../.git/modules/lib',
  });
  expect(await listFolder(folder)).toMatchObject({
    entries: [
      { path: '.env.example', size: 7, isExecutable: false },
      { path: 'api/index.js' },
      { path: 'index.js' },
    ],
    bytes: 9,
    leftOut: [
      expect.stringContaining('longshore env push .env'),
      expect.stringContaining('env push api/.env'),
    ],
  });
});

test('.longshoreignore leaves more out, and sends what is left out otherwise, except the history', async () => {
  const folder = folderOf({
    '.longshoreignore': '*.mp4\n!.env\n!dist\n!node_modules\n!.git\n',
    '.gitignore': 'dist\n',
    'a.mp4': '1',
    '.env': 'A=1',
    'dist/app.js': '1',
    'node_modules/a.js': '1',
    '.git/HEAD': 'ref',
  });
  expect(await pathsOf(folder)).toEqual(['.env', '.gitignore', 'dist/app.js', 'node_modules/a.js']);
});

test('.gitignore files count as git counts them: nested ones, exceptions, and those above a part of a repository', async () => {
  const files = {
    '.gitignore': '*.log\n/build\n!keep.log\n',
    'app/.gitignore': 'tmp/\n/only-here\n',
    'app/a.log': '1',
    'app/keep.log': '1',
    'app/tmp/x': '1',
    'app/build/x': '1',
    'app/only-here': '1',
    'app/sub/only-here': '1',
    'app/sub/.gitignore': '!b.log\n',
    'app/sub/b.log': '1',
    'build/x': '1',
  };
  const folder = folderOf(files);
  execFileSync('git', ['init', '--quiet', folder]);
  const byGit = (directory: string) =>
    execFileSync('git', ['-C', directory, 'ls-files', '-co', '--exclude-standard', '-z'], {
      encoding: 'utf8',
    })
      .split('\0')
      .filter((path) => path !== '');
  for (const directory of [folder, join(folder, 'app')])
    expect(await pathsOf(directory)).toEqual(byGit(directory).toSorted());
  expect(byGit(folder)).toContain('app/sub/b.log');
});

test('.dockerignore counts where a Dockerfile is, as Docker reads it, and never for the Dockerfile itself', async () => {
  const files = {
    '.dockerignore': '*\n!src\nsrc/*.md\n**/secret.txt\n',
    'src/a.js': '1',
    'src/b.md': '1',
    'src/c/secret.txt': '1',
    'src/c/d.js': '1',
    'README.md': '1',
  };
  const all = Object.keys(files).toSorted();
  expect(await pathsOf(folderOf(files))).toEqual(all);
  expect(await pathsOf(folderOf({ ...files, Dockerfile: 'FROM scratch' }))).toEqual([
    '.dockerignore',
    'Dockerfile',
    'src/a.js',
    'src/c/d.js',
  ]);
  const wrong = folderOf({ 'a.js': '1', Dockerfile: 'FROM scratch', '.dockerignore': '[a-\n' });
  await expect(listFolder(wrong)).rejects.toThrow('.dockerignore');
});

test('links are sent as links, unless they lead out of the folder; pipes are named and left out', async () => {
  const folder = folderOf({ 'bin/start': '#!/bin/sh' });
  chmodSync(join(folder, 'bin/start'), 0o755);
  symlinkSync('bin/start', join(folder, 'start'));
  symlinkSync('../../etc', join(folder, 'bin/etc'));
  symlinkSync('/etc/passwd', join(folder, 'passwd'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  expect(await listFolder(folder)).toEqual({
    entries: [
      { path: 'bin/start', size: 9, isExecutable: true },
      { path: 'start', size: 0, isExecutable: false, target: 'bin/start' },
    ],
    bytes: 9,
    leftOut: [
      expect.stringContaining('bin/etc'),
      expect.stringContaining('passwd is not sent: it points to'),
      expect.stringContaining('pipe'),
    ].toSorted(() => 0),
  });
});

test('an empty folder, and one that is too large, are refused before anything is sent', async () => {
  await expect(listFolder(folderOf({ '.env': 'A=1' }))).rejects.toThrow('no files to deploy');
  const folder = folderOf({ 'index.js': '1', 'media/film.mp4': '' });
  truncateSync(join(folder, 'media/film.mp4'), 1e9);
  await expect(listFolder(folder)).rejects.toThrow(/too large.* of them in media.*\.longshoreignore/);
});
