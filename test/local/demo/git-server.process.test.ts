import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { exampleRepository } from '../../../local/demo/example-repository.ts';
import { serveGit } from '../../../local/demo/git-server.ts';
import { runCommand } from '../../../local/setup/command.ts';
import { temporaryDirectory } from '../../support/runner/temporary.ts';

/** A work tree, its repository and a server of it. */
async function served() {
  const root = await temporaryDirectory();
  const workTree = join(root, 'work');
  await mkdir(workTree);
  await writeFile(join(workTree, 'index.html'), 'one');
  const repository = await exampleRepository(join(root, 'repositories/hello.git'), workTree);
  await repository.sync();
  const git = await serveGit(join(root, 'repositories'), { beforeRead: () => repository.sync() });
  onTestFinished(() => git.close());
  const run = (...args: string[]) =>
    runCommand('git', args, {
      timeoutMs: 20_000,
      env: { PATH: process.env.PATH, GIT_TERMINAL_PROMPT: '0', HOME: root },
    });
  const clone = async (name: string) => {
    await run('clone', '-q', '--depth', '1', '--branch', 'main', `${git.url}/hello.git`, join(root, name));
    return join(root, name);
  };
  return { root, workTree, git, run, clone, repository };
}

test('a clone contains the work tree of that moment', async () => {
  const { clone, workTree } = await served();
  expect(await readFile(join(await clone('first'), 'index.html'), 'utf8')).toBe('one');
  await writeFile(join(workTree, 'index.html'), 'two');
  expect(await readFile(join(await clone('second'), 'index.html'), 'utf8')).toBe('two');
});

test('an unchanged work tree makes no new commit', async () => {
  const { run, git, repository } = await served();
  const head = () => run('ls-remote', `${git.url}/hello.git`, 'refs/heads/main');
  const before = await head();
  await Promise.all([repository.sync(), repository.sync()]);
  expect(await head()).toBe(before);
});

test('pushing is refused', async () => {
  const { clone, run } = await served();
  const copy = await clone('copy');
  const identity = ['-C', copy, '-c', 'user.name=t', '-c', 'user.email=t@localhost'];
  await run(...identity, 'commit', '-q', '--allow-empty', '-m', 'mine');
  await expect(run('-C', copy, 'push', '-q', 'origin', 'main')).rejects.toThrow('403');
});

test('a repository that does not exist, or is outside the root, is not found', async () => {
  const { git, root } = await served();
  await runCommand('git', ['init', '-q', '--bare', join(root, 'outside.git')], { timeoutMs: 5_000 });
  for (const path of ['/other.git', '/../outside.git', '/%2e%2e/outside.git', '/..%2foutside.git']) {
    const reply = await fetch(`${git.url}${path}/info/refs?service=git-upload-pack`);
    expect(reply.status, path).not.toBe(200);
  }
});
