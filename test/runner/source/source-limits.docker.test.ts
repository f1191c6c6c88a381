/** Repositories that are too large end with numbers, before they fill the disk. Generated; the limit is lowered. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkOut } from '../../../runner/source/git-checkout.ts';
import { type SourceLimits, sourceLimits } from '../../../runner/source/source-budget.ts';
import { commandLines } from '../../support/command-lines.ts';
import { testContext } from '../../support/runner/job-context.ts';
import { commitRepository } from '../../support/runner/repository.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';
import { serveGit } from '../../support/servers/git-server.ts';

async function bench(make: (directory: string) => void) {
  const root = temporaryDirectory();
  commitRepository(join(root, 'git'), 'shop', { README: 'x' });
  make(join(root, 'git', 'shop'));
  const server = await serveGit(join(root, 'git'));
  onTestFinished(() => server.close());
  const context = testContext();
  const fetch = (limits: SourceLimits) =>
    checkOut(
      {
        url: `${server.url}/shop`,
        branch: 'main',
        token: null,
        allowPrivate: true,
        directory: join(root, 'work'),
        knownHosts: join(root, 'known_hosts'),
        limits,
      },
      context.log,
      context.signal,
    );
  return { root, url: server.url, fetch };
}

function commitAll(directory: string): void {
  execFileSync('git', ['-C', directory, 'add', '-A']);
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@localhost'];
  execFileSync('git', ['-C', directory, ...who, 'commit', '-q', '-m', 'large']);
}

/** A tree of trees: `width` ** `depth` files in a few objects. */
function bomb(directory: string, width: number, depth: number): void {
  const git = (args: string[], input?: string) =>
    execFileSync('git', ['-C', directory, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      input,
      encoding: 'utf8',
    }).trim();
  let entry = `100644 blob ${git(['hash-object', '-w', '--stdin'], 'x')}`;
  for (let level = 0; level < depth; level++) {
    const lines = Array.from({ length: width }, (_, index) => `${entry}\tf${index}\n`);
    entry = `040000 tree ${git(['mktree'], lines.join(''))}`;
  }
  const commit = git(['commit-tree', entry.split(' ')[2] ?? '', '-m', 'bomb']);
  git(['update-ref', 'refs/heads/main', commit]);
}

const megabyte = 10 ** 6;

test('a pack beyond the limit is stopped while it is received, with both numbers', async () => {
  const { fetch, root, url } = await bench((directory) => {
    writeFileSync(join(directory, 'video'), randomBytes(30 * megabyte));
    commitAll(directory);
  });
  await expect(fetch({ ...sourceLimits, bytesMax: 5 * megabyte })).rejects.toMatchObject({
    code: 'source_refused',
    message: expect.stringMatching(
      /too large: \d+ MB were received before it was stopped, and the limit is 5 MB/,
    ),
  });
  expect(existsSync(join(root, 'work', 'tree', 'video'))).toBe(false);
  expect(commandLines().filter((line) => line.includes(`${url}/shop`))).toEqual([]);
});

test('files that are small only when packed are counted before one of them is written', async () => {
  const { fetch, root } = await bench((directory) => {
    writeFileSync(join(directory, 'zeros'), Buffer.alloc(40 * megabyte));
    commitAll(directory);
  });
  await expect(fetch({ ...sourceLimits, bytesMax: 20 * megabyte })).rejects.toThrow(
    /its files take 41 MB, and the limit is 20 MB|its files take 40 MB, and the limit is 20 MB/,
  );
  expect(existsSync(join(root, 'work', 'tree', 'zeros'))).toBe(false);
});

test('a few objects that name ten billion files are refused by their number', async () => {
  const { fetch } = await bench((directory) => bomb(directory, 10, 10));
  await expect(fetch(sourceLimits)).rejects.toThrow(/it has more than 300,000 files/);
});
