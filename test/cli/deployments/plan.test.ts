import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { addressOf, headOfRemote, sourceOf } from '../../../cli/deployments/plan.ts';

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
  const url = 'https://git.example/shop';
  git('remote', 'add', 'origin', url);
  git('config', `url.${join(directory, 'remote')}.pushInsteadOf`, url);
  await expect(sourceOf(work)).rejects.toThrow('no commit yet');
  await writeFile(join(work, 'a'), '1');
  git('add', 'a');
  git('commit', '-qm', 'first');
  await expect(sourceOf(work)).rejects.toThrow('git push -u origin main');
  git('push', '-qu', 'origin', 'main');
  const { source, notes } = await sourceOf(work);
  const commit = git('rev-parse', 'HEAD').toString().trim();
  expect([source, notes]).toEqual([{ kind: 'git', url, branch: 'main', commit }, []]);
  await writeFile(join(work, 'a'), '2');
  git('commit', '-qam', 'second');
  await writeFile(join(work, 'b'), '1');
  const later = await sourceOf(work);
  expect(later.source).toEqual(source);
  expect(later.notes).toEqual([expect.stringContaining('git push'), expect.stringContaining('Uncommitted')]);
  git('remote', 'set-url', 'origin', 'https://me:secret@git.example/shop');
  await expect(sourceOf(work)).rejects.toThrow('contains a password');
  for (const local of [join(directory, 'remote'), '../remote', 'file:///remote', 'git://git.example/shop']) {
    git('remote', 'set-url', 'origin', local);
    await expect(sourceOf(work)).rejects.toThrow('longshore up --upload');
  }
  for (const remote of ['git@git.example:shop', 'ssh://git@git.example/shop', 'http://git.example/shop']) {
    git('remote', 'set-url', 'origin', remote);
    expect((await sourceOf(work)).source).toMatchObject({ url: remote });
  }
});

test('the newest commit of a branch at its git host is found, or nothing without a question', async () => {
  const home = await mkdtemp(join(tmpdir(), 'longshore-plan-'));
  onTestFinished(() => rm(home, { recursive: true }));
  const [url, work] = [join(home, 'remote'), join(home, 'work')];
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', home, '-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  git('init', '-q', '--bare', '-b', 'main', url);
  git('init', '-q', '-b', 'main', work);
  for (const message of ['first', 'second']) {
    git('-C', work, 'commit', '-q', '--allow-empty', '-m', message);
    git('-C', work, 'push', '-q', url, 'main');
    expect(await headOfRemote(work, { url, branch: 'main' })).toBe(git('-C', work, 'rev-parse', 'HEAD'));
  }
  expect(await headOfRemote(work, { url, branch: 'absent' })).toBeUndefined();
  expect(await headOfRemote(work, { url: join(home, 'nothing'), branch: 'main' })).toBeUndefined();
});
