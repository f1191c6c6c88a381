import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { addressOf, sourceOf } from '../../../cli/deployments/plan.ts';

test.each([
  ['git@github.com:owner/Shop.git', 'github.com/owner/shop'],
  ['https://github.com/owner/shop', 'github.com/owner/shop'],
  ['ssh://git@github.com/owner/shop.git/', 'github.com/owner/shop'],
  ['http://127.0.0.1:3000/shop', '127.0.0.1:3000/shop'],
])('%s is the repository %s, by whatever protocol', (url, address) => {
  expect(addressOf(url)).toBe(address);
});

test('each missing step of git is named, until the pushed commit is the source', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'longshore-plan-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const work = join(directory, 'shop');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', '-C', work, ...args], {
      stdio: 'pipe',
    });
  execFileSync('git', ['init', '-q', '--bare', join(directory, 'remote')]);
  execFileSync('mkdir', [work]);
  await expect(sourceOf(work)).rejects.toThrow('not in a git repository');
  git('init', '-q', '-b', 'main');
  await expect(sourceOf(work)).rejects.toThrow('git remote add origin');
  git('remote', 'add', 'origin', join(directory, 'remote'));
  await expect(sourceOf(work)).rejects.toThrow('no commit yet');
  await writeFile(join(work, 'a'), '1');
  git('add', 'a');
  git('commit', '-qm', 'first');
  await expect(sourceOf(work)).rejects.toThrow('git push -u origin main');
  git('push', '-qu', 'origin', 'main');
  const { source, notes } = await sourceOf(work);
  const commit = git('rev-parse', 'HEAD').toString().trim();
  expect([source, notes]).toEqual([
    { kind: 'git', url: join(directory, 'remote'), branch: 'main', commit },
    [],
  ]);
  await writeFile(join(work, 'a'), '2');
  git('commit', '-qam', 'second');
  await writeFile(join(work, 'b'), '1');
  const later = await sourceOf(work);
  expect(later.source).toEqual(source);
  expect(later.notes).toEqual([expect.stringContaining('git push'), expect.stringContaining('Uncommitted')]);
  git('remote', 'set-url', 'origin', 'https://me:secret@git.example/shop');
  await expect(sourceOf(work)).rejects.toThrow('contains a password');
});
