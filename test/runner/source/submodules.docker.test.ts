/** Submodules, good and hostile: fetched by the rules of the service's own repository, or refused with their path. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import {
  checkOutSubmodules,
  submoduleDepthMax,
  submodulesMax,
} from '../../../runner/source/check-out-submodules.ts';
import { type CheckoutRequest, checkOut } from '../../../runner/source/git-checkout.ts';
import { parseRepositoryUrl } from '../../../runner/source/repository-url.ts';
import { SourceBudget } from '../../../runner/source/source-budget.ts';
import { testContext } from '../../support/runner/job-context.ts';
import { commitRepository, type TestFile } from '../../support/runner/repository.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';
import { type GitServerOptions, serveGit } from '../../support/servers/git-server.ts';

interface Link {
  path: string;
  sha: string;
  url?: string;
  /** Instead of the path. */
  name?: string;
  more?: string;
}

function bench() {
  const root = temporaryDirectory();
  const git = join(root, 'git');
  const commit = (name: string, files: Record<string, TestFile>) => commitRepository(git, name, files);
  const inRepository = (name: string, ...args: string[]) =>
    execFileSync('git', ['-C', join(git, name), ...args], { encoding: 'utf8' }).trim();
  /** Commits submodules as `git submodule add` would, whatever they say. */
  const link = (name: string, links: Link[], files: Record<string, TestFile> = {}) => {
    const modules = links
      .filter(({ url }) => url !== undefined)
      .map(
        (one) =>
          `[submodule "${one.name ?? one.path}"]\n\tpath = ${one.path}\n\turl = ${one.url}\n${one.more ?? ''}`,
      );
    commit(name, { '.gitmodules': modules.join(''), ...files });
    for (const { path, sha } of links)
      inRepository(name, 'update-index', '--add', '--cacheinfo', `160000,${sha},${path}`);
    const who = ['-c', 'user.name=test', '-c', 'user.email=test@localhost'];
    inRepository(name, ...who, 'commit', '-q', '-m', 'submodules');
    return inRepository(name, 'rev-parse', 'HEAD');
  };
  const serve = async (options: GitServerOptions = {}) => {
    const server = await serveGit(git, options);
    onTestFinished(() => server.close());
    return server;
  };
  const context = testContext();
  const fetch = (url: string, more: Partial<CheckoutRequest> = {}) =>
    checkOut(
      {
        url,
        branch: 'main',
        token: null,
        allowPrivate: true,
        directory: join(root, 'work'),
        knownHosts: join(root, 'known_hosts'),
        submodules: 'top',
        ...more,
      },
      context.log,
      context.signal,
    );
  return { root, git, commit, link, inRepository, serve, context, fetch };
}

test('submodules come at their own commits, by absolute and relative URLs, without their .git', async () => {
  const { commit, link, serve, fetch, context } = bench();
  const old = commit('theme', { 'theme.css': 'old' });
  commit('theme', { 'theme.css': 'new' });
  const library = commit('library', { 'index.js': 'x' });
  const server = await serve();
  link('shop', [
    { path: 'vendor/theme', sha: old, url: '../theme' },
    { path: 'library', sha: library, url: `${server.url}/library` },
  ]);
  const { tree } = await fetch(`${server.url}/shop`);
  expect(readFileSync(join(tree, 'vendor/theme/theme.css'), 'utf8')).toBe('old');
  expect(readFileSync(join(tree, 'library/index.js'), 'utf8')).toBe('x');
  expect(readdirSync(tree, { recursive: true }).filter((name) => /(^|\/)\.git$/.test(String(name)))).toEqual(
    [],
  );
  expect(context.text()).toContain(`Fetching the submodule vendor/theme from ${server.url}/theme`);
});

test('submodules are fetched by setting: none by default, without nested ones for "top", all for "recursive"', async () => {
  const { commit, link, serve, fetch, root, context } = bench();
  const inner = commit('inner', { deep: 'x' });
  const middle = link('middle', [{ path: 'inner', sha: inner, url: '../inner' }]);
  link('shop', [{ path: 'middle', sha: middle, url: '../middle' }]);
  const { url } = await serve();
  const none = await fetch(`${url}/shop`, { submodules: 'none', directory: join(root, 'a') });
  expect(readdirSync(join(none.tree, 'middle'))).toEqual([]);
  const warning = (path: string, value: string) =>
    `Warning: the submodule ${path} was not fetched: its directory is empty. Set the variable GIT_SUBMODULES=${value} `;
  expect(context.text()).toContain(warning('middle', 'true'));
  const top = await fetch(`${url}/shop`, { directory: join(root, 'b') });
  expect(readdirSync(join(top.tree, 'middle', 'inner'))).toEqual([]);
  expect(context.text()).toContain(warning('middle/inner', 'recursive'));
  const all = await fetch(`${url}/shop`, { submodules: 'recursive', directory: join(root, 'c') });
  expect(readFileSync(join(all.tree, 'middle/inner/deep'), 'utf8')).toBe('x');
});

test("the service's token is sent to submodules of the same server, and to no other server", async () => {
  const { commit, link, serve, fetch, root } = bench();
  const theme = commit('theme', { a: 'x' });
  const own = await serve({ password: 'canary-token-77' });
  const other = await serve({ password: 'something else' });
  link('shop', [{ path: 'theme', sha: theme, url: `${own.url}/theme` }]);
  await fetch(`${own.url}/shop`, { token: 'canary-token-77' });
  link('shop', [{ path: 'theme', sha: theme, url: `${other.url}/theme` }]);
  const elsewhere = fetch(`${own.url}/shop`, { token: 'canary-token-77', directory: join(root, 'b') });
  await expect(elsewhere).rejects.toThrow(
    /submodule "theme" could not be fetched: .* is private or does not exist/,
  );
  expect(other.passwords).toEqual([]);
});

const canary = (root: string) => join(root, 'canary');
const hostile: [string, (root: string) => string, RegExp][] = [
  ['a command', (root) => `ext::sh -c touch% ${canary(root)}`, /must begin with https|not valid/],
  ['a file', (root) => `file://${root}/git/theme`, /must begin with https/],
  ['a path of the host', (root) => `${root}/git/theme`, /not valid/],
  ['an option', (root) => `--upload-pack=touch ${canary(root)}`, /not valid/],
  ['an option of ssh', (root) => `ssh://-oProxyCommand=touch%20${canary(root)}/x`, /no valid host|not valid/],
  ['credentials', () => 'https://me:secret@git.example.com/x', /must not contain credentials/],
  ['the git protocol', () => 'git://git.example.com/x', /must begin with https/],
];
test.each(hostile)('a submodule whose URL is %s is refused, and nothing is run', async (_, url, sentence) => {
  const { root, commit, link, serve, fetch } = bench();
  const theme = commit('theme', { a: 'x' });
  link('shop', [{ path: 'theme', sha: theme, url: url(root), more: `\tupdate = !touch ${canary(root)}\n` }]);
  const server = await serve();
  const refused = await fetch(`${server.url}/shop`).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 'source_refused', message: expect.stringMatching(sentence) });
  expect(refused).toMatchObject({ message: expect.stringContaining('The submodule "theme"') });
  expect(existsSync(canary(root))).toBe(false);
});

test('names with ".." and an `update` that is a command have no effect', async () => {
  const { root, commit, link, serve, fetch } = bench();
  const theme = commit('theme', { a: 'x', 'hooks/post-checkout': `#!/bin/sh\ntouch ${canary(root)}\n` });
  const more = `\tupdate = !touch ${canary(root)}\n`;
  link('shop', [{ path: 'theme', sha: theme, url: '../theme', name: '../../../evil', more }]);
  const { url } = await serve();
  const { tree } = await fetch(`${url}/shop`);
  expect(readFileSync(join(tree, 'theme/a'), 'utf8')).toBe('x');
  expect(existsSync(canary(root))).toBe(false);
  expect(readdirSync(root).sort()).toEqual(['git', 'work']);
});

test('a .gitmodules that is a link is refused', async () => {
  const { commit, link, serve, fetch, git } = bench();
  const theme = commit('theme', { a: 'x' });
  link('shop', [{ path: 'theme', sha: theme }]);
  execFileSync('rm', [join(git, 'shop/.gitmodules')]);
  const outside = `[submodule "x"]\n\tpath = theme\n\turl = ../theme\n`;
  commit('other', { modules: outside });
  // Staged with the link that the commit above made of the path.
  execFileSync('ln', ['-s', join(git, 'other/modules'), join(git, 'shop/.gitmodules')]);
  execFileSync('sh', [
    '-c',
    `cd ${git}/shop && git add .gitmodules && git -c user.name=t -c user.email=t@t commit -q -m link`,
  ]);
  const { url } = await serve();
  await expect(fetch(`${url}/shop`)).rejects.toThrow(/invalid path '\.gitmodules'/);
});

/** A checkout from the public internet, where every name leads to a private address. */
function strict() {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'theme'));
  const context = testContext();
  const fetching = {
    main: parseRepositoryUrl('https://git.example.com/shop', { allowHttp: false }),
    token: null,
    login: null,
    keyFile: null,
    knownHosts: join(directory, 'known_hosts'),
    allowPrivate: false,
    resolve: async () => ['169.254.169.254'],
    home: join(directory, 'home'),
    budget: new SourceBudget(),
    log: context.log,
    signal: context.signal,
    deadline: context.signal,
  };
  const commitSha = '8f3c1d0b7a5e49c2a0d6f1e2b3c4d5e6f7a8b9c0';
  const submodule = (url: string) => {
    const said = { commitMessage: 'one', commitAuthor: 'Ann' };
    const tree = {
      directory,
      commitSha,
      ...said,
      entries: [],
      submodules: [{ path: 'theme', commitSha, url }],
    };
    return checkOutSubmodules(fetching, tree, 'top');
  };
  return { context, submodule };
}

test('a private address of a submodule is refused where the operator has not allowed any', async () => {
  const { submodule } = strict();
  await expect(submodule('https://internal.example/x')).rejects.toThrow(
    /internal\.example leads to a private address/,
  );
  await expect(submodule('../x')).rejects.toThrow(/git\.example\.com leads to a private address/);
  await expect(submodule('http://public.example/x')).rejects.toThrow(
    /Plain http repositories are not allowed/,
  );
});

test('an ssh URL of the server that the service reaches by https is taken as https', async () => {
  const { context, submodule } = strict();
  await submodule('git@git.example.com:owner/theme.git').catch(() => undefined);
  expect(context.text()).toContain('from https://git.example.com/owner/theme.git');
});

test('a commit that the submodule lacks is named', async () => {
  const { commit, link, serve, fetch } = bench();
  commit('theme', { a: 'x' });
  const missing = '8f3c1d0b7a5e49c2a0d6f1e2b3c4d5e6f7a8b9c0';
  link('shop', [{ path: 'theme', sha: missing, url: '../theme' }]);
  const { url } = await serve();
  await expect(fetch(`${url}/shop`)).rejects.toThrow(`The commit ${missing} does not exist in ${url}/theme`);
});

test('too many or too deep submodules are refused with the limit', async () => {
  const { root, commit, link, serve, fetch } = bench();
  let sha = commit('level0', { a: 'x' });
  for (let level = 1; level <= submoduleDepthMax + 1; level++) {
    sha = link(`level${level}`, [{ path: 'down', sha, url: `../level${level - 1}` }]);
  }
  const { url } = await serve();
  const deep = fetch(`${url}/level${submoduleDepthMax + 1}`, { submodules: 'recursive' });
  await expect(deep).rejects.toThrow(/6 repositories deep, and the limit is 5/);
  const many = Array.from({ length: submodulesMax + 1 }, (_, index) => ({
    path: `m${index}`,
    sha: '8f3c1d0b7a5e49c2a0d6f1e2b3c4d5e6f7a8b9c0',
    url: '../level0',
  }));
  const own = commit('level0', { a: 'y' });
  link(
    'shop',
    many.map((one) => ({ ...one, sha: own })),
  );
  await expect(fetch(`${url}/shop`, { directory: join(root, 'b') })).rejects.toThrow(
    /a service may have at most 50 submodules/,
  );
}, 120_000);
