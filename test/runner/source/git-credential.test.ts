/** Stored credentials of git hosts, with real git: who gets them, and what a refusal says. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type CheckoutRequest, checkOut } from '../../../runner/source/git-checkout.ts';
import { commandLines } from '../../support/command-lines.ts';
import { testContext } from '../../support/runner/job-context.ts';
import { commitRepository } from '../../support/runner/repository.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';
import { selfSignedCertificate } from '../../support/self-signed-certificate.ts';
import { type GitServerOptions, serveGit } from '../../support/servers/git-server.ts';
import { pointerOf, serveLfs } from '../../support/servers/lfs-server.ts';

const token = 'canary-credential-8e21';

/** @param url of the server whose credential it is */
const credentialOf = (url: string, more = {}) => ({
  id: 'gcr_1',
  host: new URL(url).host,
  username: 'oauth2',
  token,
  ofProject: false,
  ...more,
});

function bench() {
  const root = temporaryDirectory();
  const context = testContext();
  const serve = async (options: GitServerOptions = {}) => {
    const server = await serveGit(join(root, 'git'), options);
    onTestFinished(() => server.close());
    return server;
  };
  let checkouts = 0;
  const fetch = (url: string, more: Partial<CheckoutRequest> = {}) =>
    checkOut(
      {
        url,
        branch: 'main',
        token: null,
        allowPrivate: true,
        directory: join(root, `work-${++checkouts}`),
        knownHosts: join(root, 'known_hosts'),
        ...more,
      },
      context.log,
      context.signal,
    );
  return { root, context, serve, fetch, git: join(root, 'git') };
}

/** Commits a submodule as `git submodule add` would. */
function link(git: string, name: string, sha: string, url: string): void {
  commitRepository(git, name, { '.gitmodules': `[submodule "lib"]\n\tpath = lib\n\turl = ${url}\n` });
  const run = (...args: string[]) => execFileSync('git', ['-C', join(git, name), ...args]);
  run('update-index', '--add', '--cacheinfo', `160000,${sha},lib`);
  run('-c', 'user.name=test', '-c', 'user.email=test@localhost', 'commit', '-q', '-m', 'submodule');
}

test('a private repository is fetched over https with the stored credential, which only git itself has while it fetches', {
  tags: 'slow',
}, async () => {
  const { root, context, serve, fetch, git } = bench();
  commitRepository(git, 'shop', { README: 'x' });
  const tls = await certificateOfLoopback(root);
  const seen = { lines: '', files: '', owners: new Set<string>() };
  const server = await serve({
    password: token,
    tls,
    gate: () => {
      seen.lines += commandLines().join('\n');
      seen.files += filesUnder(join(root, 'work-1'));
      for (const name of programsWith(token)) seen.owners.add(name);
    },
  });
  const { tree } = await fetch(`${server.url}/shop`, { credential: credentialOf(server.url) });
  expect(readFileSync(join(tree, 'README'), 'utf8')).toBe('x');
  expect(new Set(server.passwords)).toEqual(new Set([token]));
  expect(new Set(server.usernames)).toEqual(new Set(['oauth2']));
  expect(seen.lines).toContain('fetch');
  expect(seen.lines).not.toContain(token);
  expect(seen.files).toContain('[core]');
  expect(seen.files + filesUnder(tree) + context.text()).not.toContain(token);
  expect([...seen.owners].filter((name) => !/^git/.test(name))).toEqual([]);
  expect([...seen.owners]).toContain('git-remote-http');
});

test('a public repository is fetched without the credential', async () => {
  const { serve, fetch, git } = bench();
  commitRepository(git, 'shop', { README: 'x' });
  const server = await serve();
  await fetch(`${server.url}/shop`, { credential: credentialOf(server.url) });
  expect(server.passwords).toEqual([]);
});

test("a service's own token is used instead of a stored credential", async () => {
  const { serve, fetch, git } = bench();
  commitRepository(git, 'shop', { README: 'x' });
  const server = await serve({ password: 'own-token-1' });
  await fetch(`${server.url}/shop`, { token: 'own-token-1', credential: credentialOf(server.url) });
  expect(new Set(server.passwords)).toEqual(new Set(['own-token-1']));
});

test('a credential of another host, or of another port, is not sent', async () => {
  const { serve, fetch, git } = bench();
  commitRepository(git, 'shop', { README: 'x' });
  const server = await serve({ password: token });
  for (const host of ['git.example.com', '127.0.0.1', '127.0.0.1:1']) {
    const checkout = fetch(`${server.url}/shop`, { credential: credentialOf(server.url, { host }) });
    await expect(checkout).rejects.toThrow(/private or does not exist; store a git token/);
  }
  expect(server.passwords).toEqual([]);
});

test('submodules of the same host get the credential, and those of another host nothing', {
  tags: 'slow',
}, async () => {
  const { serve, fetch, git } = bench();
  const sha = commitRepository(git, 'lib', { a: 'x' });
  const [own, other] = [await serve({ password: token }), await serve({ password: token })];
  const more = { credential: credentialOf(own.url), submodules: 'top' } as const;
  link(git, 'shop', sha, '../lib');
  const { tree } = await fetch(`${own.url}/shop`, more);
  expect(readFileSync(join(tree, 'lib/a'), 'utf8')).toBe('x');
  link(git, 'other', sha, `${other.url}/lib`);
  await expect(fetch(`${own.url}/other`, more)).rejects.toThrow(
    /submodule "lib" could not be fetched: .* sent only to the server of the service's own repository, 127\.0\.0\.1/,
  );
  expect(other.passwords).toEqual([]);
});

test('a host that redirects to another one, before or after the login, brings the credential nowhere', async () => {
  const { serve, fetch, git } = bench();
  commitRepository(git, 'shop', { README: 'x' });
  const target = await serve({ password: token });
  const got: string[] = [];
  const redirecting = createServer((request, response) => {
    const { authorization } = request.headers;
    if (authorization) got.push(authorization);
    const wantsLogin = request.url?.startsWith('/late') && !authorization;
    if (wantsLogin) response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    else response.writeHead(302, { location: `${target.url}/shop/info/refs?service=git-upload-pack` }).end();
  });
  await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void redirecting.close());
  const url = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`;
  for (const path of ['early', 'late']) {
    const checkout = fetch(`${url}/${path}`, { credential: credentialOf(url) });
    await expect(checkout).rejects.toThrow(/has moved; give the service the repository's new URL/);
  }
  expect(got).toHaveLength(1);
  expect(target.passwords).toEqual([]);
});

test('large files of the same host are fetched with the credential, and downloads elsewhere without it', async () => {
  const { root, serve, fetch, git, context } = bench();
  const attributes = { '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' };
  commitRepository(git, 'shop', { ...attributes, 'logo.bin': pointerOf('a logo') });
  const server = await serve({ password: token });
  const lfs = await serveLfs({ objects: ['a logo'], gitUrl: server.url, password: token });
  onTestFinished(() => lfs.close());
  const { tree } = await fetch(`${lfs.url}/shop`, { credential: credentialOf(lfs.url), lfs: true });
  expect(readFileSync(join(tree, 'logo.bin'), 'utf8')).toBe('a logo');
  expect(lfs.asked).toEqual([`Basic ${Buffer.from(`oauth2:${token}`).toString('base64')}`]);
  expect(lfs.downloads.map(({ authorization }) => authorization)).toEqual([undefined]);
  expect(filesUnder(root) + context.text()).not.toContain(token);
});

const named = 'the git credential gcr_1, which is stored for HOST and all projects';
const ofProject = 'the git credential gcr_1, which is stored for HOST and this project';
const noneStored =
  'store a git token with the service ("gitToken"), or a credential for HOST (POST /api/git-credentials): there is neither.';
type Refusal = [
  name: string,
  GitServerOptions,
  has: 'none' | 'tenant' | 'project' | 'token',
  sentence: string,
];
const refusals: Refusal[] = [
  ['a 401 without a login', { password: 'x' }, 'none', `URL is private or does not exist; ${noneStored}`],
  [
    'a 401 with a credential of the tenant',
    { password: 'x' },
    'tenant',
    `URL refused ${named}: it is wrong, has expired or was revoked. Store a new token (PATCH /api/git-credentials/gcr_1).`,
  ],
  [
    'a 401 with a credential of the project',
    { password: 'x' },
    'project',
    `URL refused ${ofProject}: it is wrong, has expired or was revoked. Store a new token (PATCH /api/git-credentials/gcr_1).`,
  ],
  [
    "a 401 with the service's token",
    { password: 'x' },
    'token',
    'URL refused the stored git token: it is wrong, has expired or was revoked. Store another one with the service ("gitToken").',
  ],
  [
    'a 403 with a credential',
    { password: token, status: 403 },
    'tenant',
    `URL may not be read with ${named}: the git host knows it, and answers 403.`,
  ],
  [
    'a 403 without a login',
    { status: 403 },
    'none',
    `URL may not be read without a login: the git host answers 403; ${noneStored}`,
  ],
  [
    'a 404 with a credential',
    { password: token, status: 404 },
    'tenant',
    `The repository URL was not found with ${named}: the URL is wrong, or the repository is private and this login may not read it.`,
  ],
  [
    'a 404 without a login',
    { status: 404 },
    'none',
    `The repository URL was not found, or it is private; if it is private, ${noneStored}`,
  ],
];
test.each(refusals)(
  '%s is told apart from the others, with the way out',
  async (_, options, has, sentence) => {
    const { serve, fetch, git, context } = bench();
    commitRepository(git, 'shop', { README: 'x' });
    const server = await serve(options);
    const url = `${server.url}/shop`;
    const credential = credentialOf(url, { ofProject: has === 'project' });
    const login = has === 'token' ? { token } : has === 'none' ? {} : { credential };
    const error = await fetch(url, login).catch((failure: Error) => failure);
    const expected = sentence.replace('HOST', new URL(url).host).replace('URL', url);
    expect(error).toMatchObject({ code: 'source_failed', message: expect.stringContaining(expected) });
    expect(JSON.stringify(error, ['message', 'cause', 'stack']) + context.text()).not.toContain(token);
  },
);

test('the program that answers git gives the token to no other host', () => {
  const script = join(import.meta.dirname, '../../../runner/source/git-askpass.sh');
  const answer = (question: string) => {
    try {
      return execFileSync(script, [question], {
        encoding: 'utf8',
        env: { LONGSHORE_GIT_HOST: 'a.example', LONGSHORE_GIT_USERNAME: 'u', LONGSHORE_GIT_TOKEN: token },
      }).trim();
    } catch {
      return undefined;
    }
  };
  expect(answer("Username for 'https://a.example': ")).toBe('u');
  expect(answer("Password for 'https://u@a.example': ")).toBe(token);
  for (const host of ['b.example', 'a.example.b.example', 'a.example:8443', 'xa.example']) {
    expect(answer(`Username for 'https://${host}': `)).toBeUndefined();
    expect(answer(`Password for 'https://u@${host}': `)).toBeUndefined();
  }
});

/** Trusted by git in this process until the test ends. */
async function certificateOfLoopback(directory: string): Promise<{ key: string; cert: string }> {
  const { key, certificate } = await selfSignedCertificate('git host', { addresses: ['127.0.0.1'] });
  const path = join(directory, 'ca.pem');
  writeFileSync(path, certificate);
  process.env.GIT_SSL_CAINFO = path;
  onTestFinished(() => {
    delete process.env.GIT_SSL_CAINFO;
  });
  return { key, cert: certificate };
}

/** Names of the programs that have a text in their environment; those of this process's own children can be read. */
function programsWith(text: string): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const has = readFileSync(`/proc/${pid}/environ`, 'utf8').includes(text);
      return has ? [readlinkSync(`/proc/${pid}/exe`).split('/').at(-1) ?? ''] : [];
    } catch {
      return []; // no process, or one that has ended
    }
  });
}

function filesUnder(directory: string): string {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}
