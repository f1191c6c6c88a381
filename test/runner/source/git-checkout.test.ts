import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { extract } from 'tar-stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { contextEntries, packContext } from '../../../runner/builder/docker-context.ts';
import { type CheckoutRequest, checkOut } from '../../../runner/source/git-checkout.ts';
import { commandLines } from '../../support/command-lines.ts';
import { everything } from '../../support/level.ts';
import { realRepository } from '../../support/real-world/real-repository.ts';
import { testContext } from '../../support/runner/job-context.ts';
import { commitRepository } from '../../support/runner/repository.ts';
import { type GitServer, serveGit } from '../../support/servers/git-server.ts';

const token = 'canary-token-5f1c';
let root: string;
let server: GitServer | undefined;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'longshore-git-'));
});

afterEach(async () => {
  await server?.close();
  server = undefined;
  rmSync(root, { recursive: true, force: true });
});

const request = (url: string, more: Partial<CheckoutRequest> = {}): CheckoutRequest => ({
  url,
  branch: 'main',
  token: null,
  allowPrivate: true,
  directory: join(root, 'work'),
  knownHosts: join(root, 'known_hosts'),
  ...more,
});

/** All of it takes a minute. */
const grown = everything ? { historyMb: 2_048, files: 100_000 } : { historyMb: 64, files: 2_000 };

test('a checkout holds the files of a deep branch under all their names, its commit, no history and no .git', {
  tags: 'slow',
  timeout: 300_000,
}, async () => {
  const repository = await realRepository(join(root, 'git'), 'grown', grown);
  server = await serveGit(join(root, 'git'));
  const context = testContext();
  // Less than the history, and than each of the large files in it.
  const limits = { bytesMax: 1_000 * grown.files, filesMax: 200_000 };
  const { branch } = repository;
  const asked = request(`${server.url}/grown`, { branch, limits });
  const checkout = await checkOut(asked, context.log, context.signal);
  expect(checkout).toMatchObject({
    commitSha: repository.commitSha,
    commitMessage: 'the tip',
    commitAuthor: 'Grown',
  });
  expect(existsSync(join(checkout.tree, '.git'))).toBe(false);
  const { readable, unreadable } = repository;
  for (const [path, content] of Object.entries(readable))
    expect(readFileSync(join(checkout.tree, path), 'utf8')).toBe(content);
  expect(context.text()).toContain(`Left out, because their names are not UTF-8: "${unreadable}".`);
  // What a build gets.
  const entries = await contextEntries(checkout.tree, 'Dockerfile');
  const packed: string[] = [];
  const archive = extract().on('entry', ({ name }, body, next) => {
    packed.push(name);
    body.on('end', next).resume();
  });
  const dockerfile = { path: 'Dockerfile', mode: 0o644, text: 'FROM scratch' };
  await pipeline(packContext(checkout.tree, entries, dockerfile), archive);
  expect(packed).toHaveLength(grown.files + Object.keys(readable).length + 1);
  expect(packed).toEqual(expect.arrayContaining(Object.keys(readable)));
});

test('a checkout takes the token by askpass, and the token is in no argument and in no file', {
  tags: 'slow',
}, async () => {
  commitRepository(join(root, 'git'), 'shop', { README: 'x' });
  const lines: string[] = [];
  const files: string[] = [];
  server = await serveGit(join(root, 'git'), {
    password: token,
    gate: () => {
      lines.push(...commandLines());
      files.push(...filesUnder(join(root, 'work')));
    },
  });
  const context = testContext();
  await checkOut(request(`${server.url}/shop`, { token }), context.log, context.signal);
  expect(server.passwords).toContain(token);
  expect(lines.some((line) => line.includes('fetch'))).toBe(true);
  expect(lines.filter((line) => line.includes(token))).toEqual([]);
  expect(files.some((text) => text.includes('[core]'))).toBe(true);
  expect(files.filter((text) => text.includes(token))).toEqual([]);
  expect(context.text()).not.toContain(token);
});

test('a checkout runs no hook, no submodule and no external protocol of the repository', {
  tags: 'slow',
}, async () => {
  const canary = join(root, 'canary');
  commitRepository(join(root, 'git'), 'shop', {
    '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = ext::sh -c touch% ${canary}\n`,
    'hooks/post-checkout': `#!/bin/sh\ntouch ${canary}\n`,
    '.gitattributes': '* filter=evil\n',
  });
  server = await serveGit(join(root, 'git'));
  const context = testContext();
  await checkOut(request(`${server.url}/shop`), context.log, context.signal);
  expect(existsSync(canary)).toBe(false);
});

test('a checkout is stopped by an abort in the middle of the fetch, with all its processes', async () => {
  commitRepository(join(root, 'git'), 'shop', { README: 'x' });
  const context = testContext();
  const reached = Promise.withResolvers<void>();
  server = await serveGit(join(root, 'git'), {
    gate: () => {
      reached.resolve();
      return new Promise(() => undefined);
    },
  });
  const url = `${server.url}/shop`;
  const checkout = checkOut(request(url), context.log, context.signal);
  await reached.promise;
  context.abort();
  await expect(checkout).rejects.toMatchObject({ name: 'JobStopped', reason: 'aborted' });
  await expect.poll(() => commandLines().filter((line) => line.includes(url))).toEqual([]);
});

describe('a missing branch', () => {
  const failure = async (name: string, branch: string) => {
    const context = testContext();
    const checkout = checkOut(
      request(`${server?.url}/${name}`, { branch, directory: join(root, `work-${branch.length}`) }),
      context.log,
      context.signal,
    );
    return await checkout.then(
      () => '',
      (error: Error) => error.message,
    );
  };
  const branches = (name: string, ...names: string[]) => {
    for (const one of names)
      execFileSync('git', ['-C', join(root, 'git', name), 'branch', one], { stdio: 'ignore' });
  };

  test('is answered with the default branch and up to five others, those like it first', async () => {
    commitRepository(join(root, 'git'), 'renamed', { README: 'x' }, 'trunk');
    server = await serveGit(join(root, 'git'));
    expect(await failure('renamed', 'main')).toMatch(
      /^The branch "main" does not exist in \S+\/renamed\. Its default branch is "trunk": set "branch" to one of them\.$/,
    );
    branches('renamed', 'a', 'b', 'c', 'd', 'e', 'f', 'ümlaut,(x)', 'old/Main');
    expect(await failure('renamed', 'main')).toMatch(
      /\. Its default branch is "trunk", others are "old\/Main", "a", "b", "c", "d" and 3 more: set "branch" to one of them\.$/,
    );
    expect(await failure('renamed', 'ümlaut,(x)')).toBe('');
  });

  test('of an empty repository is answered with the way out', async () => {
    execFileSync('git', ['init', '-q', '-b', 'main', join(root, 'git', 'empty')]);
    server = await serveGit(join(root, 'git'));
    expect(await failure('empty', 'main')).toMatch(
      /does not exist in \S+\. The repository has no branch: push a commit/,
    );
  });
});

describe('a ref', () => {
  const [old, tip] = ['old', 'tip'].map((text) => ({ README: text }));
  async function scene() {
    const git = join(root, 'git');
    const first = commitRepository(git, 'shop', old ?? {});
    const run = (...args: string[]) =>
      execFileSync('git', [
        '-C',
        join(git, 'shop'),
        '-c',
        'user.name=t',
        '-c',
        'user.email=t@localhost',
        ...args,
      ]);
    run('tag', 'light');
    run('tag', '-a', 'v1.0', '-m', 'annotated');
    run('branch', 'side');
    const newest = commitRepository(git, 'shop', tip ?? {});
    // The name of a tag and of a branch: git takes the tag.
    run('tag', 'both', first);
    run('branch', 'both', newest);
    server = await serveGit(git);
    return { first, newest };
  }
  const fetched = async (branch: string) => {
    const context = testContext();
    const asked = request(`${server?.url}/shop`, { branch, isRef: true, directory: join(root, 'work') });
    rmSync(asked.directory, { recursive: true, force: true });
    return await checkOut(asked, context.log, context.signal);
  };

  test('is a commit that no branch points to, a tag of either kind, or a branch, by the rules of git', async () => {
    const { first, newest } = await scene();
    for (const ref of [first, 'light', 'v1.0', 'refs/tags/v1.0', 'side', 'refs/heads/side', 'both']) {
      const { commitSha, tree } = await fetched(ref);
      expect([ref, commitSha, readFileSync(join(tree, 'README'), 'utf8')]).toEqual([ref, first, 'old']);
    }
    for (const ref of [newest, 'main', 'refs/heads/both'])
      expect([ref, (await fetched(ref)).commitSha]).toEqual([ref, newest]);
  });

  test('that does not exist fails with its name', async () => {
    const { first } = await scene();
    const absent = 'a'.repeat(40);
    await expect(fetched(absent)).rejects.toThrow(`The commit ${absent} does not exist in`);
    await expect(fetched('v9')).rejects.toThrow('The tag or branch "v9" does not exist in');
    await expect(fetched(first.slice(0, 8))).rejects.toThrow(
      `The tag or branch "${first.slice(0, 8)}" does not exist in`,
    );
  });

  test.each([
    '--upload-pack=touch /tmp/x',
    '-f',
    '+main',
    'main:main',
    '^main',
    'HEAD',
    'HEAD~1',
    'a b',
    '',
    'main@{1}',
  ])('%j is refused before git starts', async (ref) => {
    await expect(fetched(ref)).rejects.toMatchObject({ code: 'source_refused' });
  });

  test('a runner that does not know refs finds no branch of that name, instead of deploying another commit', async () => {
    const { first } = await scene();
    const context = testContext();
    for (const [at, branch] of [first, 'v1.0'].entries()) {
      const asked = request(`${server?.url}/shop`, { branch, directory: join(root, `unknown-${at}`) });
      await expect(checkOut(asked, context.log, context.signal)).rejects.toThrow('does not exist');
    }
  });
});

describe('a failed checkout says in one sentence', () => {
  const cases: [string, (url: string) => Partial<CheckoutRequest>, RegExp][] = [
    [
      'that the branch is missing, with its name',
      () => ({ branch: 'release/9' }),
      /branch "release\/9" does not exist/,
    ],
    [
      'that the repository is missing',
      (url) => ({ url: `${url}/nothing` }),
      /nothing was not found, or it is private/,
    ],
    [
      'that nothing listens there',
      () => ({ url: 'http://127.0.0.1:9/shop' }),
      /git host 127\.0\.0\.1 cannot be reached/,
    ],
    [
      'that the host has no address',
      () => ({ url: 'https://no-such-host.invalid/shop' }),
      /no-such-host\.invalid was not found/,
    ],
  ];
  test.each(cases)('%s', async (_, change, sentence) => {
    commitRepository(join(root, 'git'), 'shop', { README: 'x' });
    server = await serveGit(join(root, 'git'));
    const context = testContext();
    const checkout = checkOut(request(`${server.url}/shop`, change(server.url)), context.log, context.signal);
    await expect(checkout).rejects.toMatchObject({
      code: 'source_failed',
      message: expect.stringMatching(sentence),
    });
  });

  test('a failed checkout says in one sentence that the token is refused, and that one is needed', {
    tags: 'slow',
  }, async () => {
    commitRepository(join(root, 'git'), 'shop', { README: 'x' });
    server = await serveGit(join(root, 'git'), { password: token });
    const context = testContext();
    const url = `${server.url}/shop`;
    await expect(
      checkOut(request(url, { token: 'wrong', directory: join(root, 'a') }), context.log, context.signal),
    ).rejects.toThrow(/refused the stored git token/);
    await expect(
      checkOut(request(url, { directory: join(root, 'b') }), context.log, context.signal),
    ).rejects.toThrow(/private or does not exist; store a git token/);
  });

  test('a failed checkout says in one sentence that a redirect is not followed', async () => {
    const { createServer } = await import('node:http');
    const redirecting = createServer((_, response) =>
      response.writeHead(301, { location: 'http://169.254.169.254/latest' }).end(),
    ).listen(0, '127.0.0.1');
    await new Promise((resolve) => redirecting.once('listening', resolve));
    const { port } = redirecting.address() as { port: number };
    const context = testContext();
    await expect(
      checkOut(request(`http://127.0.0.1:${port}/shop`), context.log, context.signal),
    ).rejects.toThrow(/has moved/);
    redirecting.close();
  });
});

test('a public name that resolves to one is refused before anything is sent', async () => {
  const context = testContext();
  const resolve = async () => ['169.254.169.254'];
  await expect(
    checkOut(
      request('https://git.example.com/x', { allowPrivate: false, resolve }),
      context.log,
      context.signal,
    ),
  ).rejects.toMatchObject({ code: 'source_refused' });
  expect(existsSync(join(root, 'work'))).toBe(false);
});

test('git connects to the address that was checked, whatever the name resolves to later', {
  tags: 'slow',
}, async () => {
  commitRepository(join(root, 'git'), 'shop', { README: 'x' });
  server = await serveGit(join(root, 'git'));
  const { port } = new URL(server.url);
  const context = testContext();
  const url = `http://checked.invalid:${port}/shop`;
  const checkout = await checkOut(
    request(url, { resolve: async () => ['127.0.0.1'] }),
    context.log,
    context.signal,
  );
  expect(checkout.commitSha).toMatch(/^[0-9a-f]{40}$/);
});

function filesUnder(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'));
}
