/** Repositories that are too large end with numbers, before they fill the disk. Generated; the limit is lowered. */
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
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

test('what attributes make of a file is counted before it is written', async () => {
  const { fetch, root } = await bench((directory) => {
    writeFileSync(join(directory, '.gitattributes'), '[attr]swollen ident\n*.txt swollen\n');
    writeFileSync(join(directory, 'ids.txt'), '$Id$'.repeat(megabyte / 4));
    commitAll(directory);
  });
  await expect(fetch({ ...sourceLimits, bytesMax: 11 * megabyte })).rejects.toThrow(
    /its files take \d+ MB, and the limit is 11 MB/,
  );
  expect(existsSync(join(root, 'work', 'tree', 'ids.txt'))).toBe(false);
});

test('files with such attributes are checked out as git defines it, if they are small', async () => {
  const { fetch } = await bench((directory) => {
    writeFileSync(
      join(directory, '.gitattributes'),
      'id ident\nwide working-tree-encoding=UTF-16LE\n*.bat eol=crlf\n',
    );
    writeFileSync(join(directory, 'id'), '$Id$\n');
    writeFileSync(join(directory, 'wide'), Buffer.from('wide\n', 'utf16le'));
    writeFileSync(join(directory, 'run.bat'), 'dir\r\n');
    commitAll(directory);
  });
  const { tree } = await fetch(sourceLimits);
  expect(readFileSync(join(tree, 'id'), 'latin1')).toMatch(/^\$Id: [0-9a-f]{40} \$\n$/);
  expect(readFileSync(join(tree, 'wide'), 'utf16le')).toBe('wide\n');
  expect(readFileSync(join(tree, 'run.bat'), 'latin1')).toBe('dir\r\n');
});

/** A number as a pack writes it: seven bits a byte, the lowest first (gitformat-pack(5)). */
const packNumber = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...packNumber(Math.floor(value / 128))];

/** Commits a file of `bytes` zeros that is stored as a difference to a small one. @returns the size of the pack */
function commitDelta(directory: string, bytes: number): number {
  const base = Buffer.alloc(2 ** 24 - 1);
  const hash = createHash('sha1').update(`blob ${bytes}\0`);
  const copies: number[] = [];
  for (let left = bytes; left > 0; left -= base.length) {
    const size = Math.min(left, base.length);
    hash.update(base.subarray(0, size));
    copies.push(0x80 | 0x70, size & 255, (size >> 8) & 255, size >> 16);
  }
  const delta = Buffer.from([...packNumber(base.length), ...packNumber(bytes), ...copies]);
  const baseId = createHash('sha1').update(`blob ${base.length}\0`).update(base).digest();
  const object = (type: number, content: Buffer, before = Buffer.alloc(0)) => {
    const head = (type << 4) | (content.length & 15);
    const more = content.length >> 4;
    const header = more ? [head | 0x80, ...packNumber(more)] : [head];
    return Buffer.concat([Buffer.from(header), before, deflateSync(content)]);
  };
  const objects = [object(3, base), object(7, delta, baseId)];
  const counts = Buffer.from([0, 0, 0, 2, 0, 0, 0, objects.length]);
  const body = Buffer.concat([Buffer.from('PACK'), counts, ...objects]);
  const pack = Buffer.concat([body, createHash('sha1').update(body).digest()]);
  const git = (args: string[], input: Buffer | string) =>
    execFileSync('git', ['-C', directory, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { input })
      .toString()
      .trim();
  git(['index-pack', '--stdin'], pack);
  const lines = `100644 blob ${baseId.toString('hex')}\tbase\n100644 blob ${hash.digest('hex')}\tlarge\n`;
  git(['update-ref', 'refs/heads/main', git(['commit-tree', git(['mktree'], lines), '-m', 'delta'], '')], '');
  return pack.length;
}

test('a file that a few kilobytes describe is refused before git unpacks it in memory', async () => {
  let packed = Number.NaN;
  const { fetch, root } = await bench((directory) => {
    packed = commitDelta(directory, 300 * megabyte);
  });
  expect(packed).toBeLessThan(20_000);
  await expect(fetch(sourceLimits)).rejects.toMatchObject({
    code: 'source_failed',
    message: expect.stringMatching(/a file that git can only unpack in memory, .* above 256 MB/),
  });
  expect(existsSync(join(root, 'work', 'tree', 'large'))).toBe(false);
});
