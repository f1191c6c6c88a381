/** Repositories whose trees no git would write: made with git's plumbing, and checked out by the runner. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkOut } from '../../../runner/source/git-checkout.ts';
import { testContext } from '../../support/runner/job-context.ts';
import { commitRepository } from '../../support/runner/repository.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';
import { serveGit } from '../../support/servers/git-server.ts';

/** A tree entry as `git mktree` reads it; `tree` entries hold one file, `evil`. */
type Entry = readonly [mode: '100644' | '120000' | '040000' | '160000', name: string, content: string];

const root = () => temporaryDirectory();

function plumb(directory: string, args: string[], input?: string): string {
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@localhost'];
  return execFileSync('git', ['-C', directory, ...who, ...args], { input, encoding: 'utf8' }).trim();
}

/** Puts a commit with exactly these entries onto `main`. */
function hostileCommit(directory: string, entries: readonly Entry[]): void {
  const blob = (content: string) => plumb(directory, ['hash-object', '-w', '--stdin'], content);
  const lines = entries.map(([mode, name, content]) => {
    if (mode === '160000') return `160000 commit ${content}\t${name}`;
    if (mode !== '040000') return `${mode} blob ${blob(content)}\t${name}`;
    const inner = plumb(directory, ['mktree'], `100755 blob ${blob(content)}\tevil\n`);
    return `040000 tree ${inner}\t${name}`;
  });
  const tree = plumb(directory, ['mktree', '--missing'], `${lines.join('\n')}\n`);
  const commit = plumb(directory, ['commit-tree', tree, '-m', 'hostile']);
  plumb(directory, ['update-ref', 'refs/heads/main', commit]);
}

async function checkOutHostile(entries: readonly Entry[]) {
  const directory = root();
  commitRepository(join(directory, 'git'), 'shop', { README: 'x' });
  hostileCommit(join(directory, 'git', 'shop'), entries);
  const server = await serveGit(join(directory, 'git'));
  onTestFinished(() => server.close());
  const work = join(directory, 'work');
  const context = testContext();
  const request = {
    url: `${server.url}/shop`,
    branch: 'main',
    token: null,
    allowPrivate: true,
    directory: work,
    knownHosts: join(directory, 'known_hosts'),
  };
  const result = await checkOut(request, context.log, context.signal).catch((error: unknown) => error);
  return { result, work, directory };
}

test.each<[string, Entry]>([
  ['.git', ['040000', '.git', 'hook']],
  ['.GIT, which some file systems take for .git', ['040000', '.GIT', 'hook']],
  ['git~1, which Windows takes for .git', ['040000', 'git~1', 'hook']],
  ['..', ['040000', '..', 'outside']],
])(
  'a directory named %s is refused, and nothing is written outside the tree',
  { tags: 'slow' },
  async (_, entry) => {
    const { result, work, directory } = await checkOutHostile([['100644', 'app', 'x'], entry]);
    expect(result).toMatchObject({ code: 'source_failed', message: expect.stringMatching(/invalid path/) });
    expect(existsSync(join(work, 'evil'))).toBe(false);
    expect(readdirSync(directory).sort()).toEqual(['git', 'work']);
  },
);

test('a submodule of any address and path is left an empty directory: nothing is fetched or run', {
  tags: 'slow',
}, async () => {
  const canary = join(root(), 'canary');
  const modules = `[submodule "a"]\n\tpath = vendor\n\turl = ext::sh -c touch% ${canary}\n[submodule "../../b"]\n\tpath = ../up\n\turl = -u./x\n`;
  const { result, work } = await checkOutHostile([
    ['100644', '.gitmodules', modules],
    ['160000', 'vendor', '8f3c1d0b7a5e49c2a0d6f1e2b3c4d5e6f7a8b9c0'],
  ]);
  expect(result).toMatchObject({ tree: join(work, 'tree') });
  expect(readdirSync(join(work, 'tree', 'vendor'))).toEqual([]);
  expect(existsSync(canary)).toBe(false);
  expect(readdirSync(work).sort()).toEqual(['home', 'tree']);
});

test('names that differ in case alone are two files, and a link is a link that nothing was written through', {
  tags: 'slow',
}, async () => {
  const { result, work, directory } = await checkOutHostile([
    ['100644', 'Dockerfile', 'one'],
    ['100644', 'dockerfile', 'two'],
    ['120000', 'out', '../..'],
  ]);
  expect(result).toMatchObject({ tree: join(work, 'tree') });
  expect(readFileSync(join(work, 'tree', 'Dockerfile'), 'utf8')).toBe('one');
  expect(readFileSync(join(work, 'tree', 'dockerfile'), 'utf8')).toBe('two');
  expect(readdirSync(directory).sort()).toEqual(['git', 'work']);
});
