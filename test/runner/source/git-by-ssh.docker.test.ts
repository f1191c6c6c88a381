/** Repositories by ssh, from a real sshd. Among the tests of a set-up host for its ssh client; Docker is not used. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type CheckoutRequest, checkOut } from '../../../runner/source/git-checkout.ts';
import { parseRepositoryUrl } from '../../../runner/source/repository-url.ts';
import { sshCommand } from '../../../runner/source/ssh-access.ts';
import { commandLines } from '../../support/command-lines.ts';
import { testContext } from '../../support/runner/job-context.ts';
import { commitRepository } from '../../support/runner/repository.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';
import { until } from '../../support/runner/until.ts';
import { serveGit } from '../../support/servers/git-server.ts';
import { makeKey, type SshServer, serveSsh } from '../../support/servers/ssh-server.ts';

/** A repository `shop` behind sshd, and the key that opens it. */
async function bench() {
  const root = temporaryDirectory();
  const git = join(root, 'git');
  const commitSha = commitRepository(git, 'shop', { README: 'by ssh' });
  const key = makeKey(join(root, 'key'));
  const serve = async (hostKey?: string, port?: number): Promise<SshServer> => {
    const server = await serveSsh({
      root: git,
      publicKey: key.publicKey,
      ...(hostKey ? { hostKey } : {}),
      ...(port ? { port } : {}),
    });
    onTestFinished(() => server.close());
    return server;
  };
  const server = await serve();
  let attempts = 0;
  const context = testContext();
  const fetch = (more: Partial<CheckoutRequest> = {}) => {
    const request = {
      url: `${server.url}/shop`,
      branch: 'main',
      token: key.privateKey,
      allowPrivate: true,
      directory: join(root, `work ${attempts++}`),
      knownHosts: join(root, 'data directory 100%', 'known_hosts'),
      ...more,
    };
    return checkOut(request, context.log, context.signal);
  };
  return { root, git, key, serve, server, context, fetch, commitSha };
}

test('a deploy key opens a private repository, and is in no file, argument, environment and line afterwards', async () => {
  const { root, key, fetch, context, commitSha, server } = await bench();
  const checkout = await fetch();
  expect(checkout.commitSha).toBe(commitSha);
  expect(readFileSync(join(checkout.tree, 'README'), 'utf8')).toBe('by ssh');
  expect(server.said()).toContain('Accepted publickey');
  const [, secret = ''] = key.privateKey.split('\n').slice(1);
  const files = readdirSync(join(root, 'work 0'), { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(files.map(({ name }) => name)).toEqual(['README']);
  expect(context.text()).not.toContain(secret);
});

test('while ssh runs, the key is in a file of mode 600 alone: no argument and no environment holds it', async () => {
  const { root, key, fetch, context, server } = await bench();
  const [, secret = ''] = key.privateKey.split('\n').slice(1);
  // git-shell waits for a name that it can't open: a pipe in place of the repository's HEAD.
  execFileSync('sh', ['-c', `rm '${root}/git/shop/.git/HEAD' && mkfifo '${root}/git/shop/.git/HEAD'`]);
  const checkout = fetch().catch((error: unknown) => error);
  await until('ssh is let in', () => server.said().includes('Accepted publickey'));
  const modes = execFileSync('find', [join(root, 'work 0', 'ssh'), '-printf', '%m %f\n'], {
    encoding: 'utf8',
  });
  expect(modes.trim().split('\n')).toEqual(['700 ssh', '600 deploy-key']);
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const texts = processes.flatMap((pid) => ['cmdline', 'environ'].map((file) => readProc(pid, file)));
  expect(texts.some((text) => text.includes('deploy-key'))).toBe(true);
  expect(texts.filter((text) => text.includes(secret))).toEqual([]);
  context.abort();
  expect(await checkout).toMatchObject({ name: 'JobStopped' });
  expect(existsSync(join(root, 'work 0', 'ssh'))).toBe(false);
  await until(
    'no ssh of this test is left',
    () => !commandLines().some((line) => line.includes(`${root}/work 0`)),
  );
});

test('a host key is pinned at the first connection, and another one is refused with a way out', async () => {
  const { root, fetch, server, serve } = await bench();
  await fetch();
  const pinned = readFileSync(join(root, 'data directory 100%', 'known_hosts'), 'utf8');
  expect(pinned).toMatch(new RegExp(`^\\[127\\.0\\.0\\.1\\]:${server.port} ssh-ed25519 `));
  await fetch();
  expect(readFileSync(join(root, 'data directory 100%', 'known_hosts'), 'utf8')).toBe(pinned);
  await server.close();
  await serve(join(root, 'other-host-key'), server.port);
  await expect(fetch()).rejects.toMatchObject({
    code: 'source_failed',
    message: expect.stringMatching(/another SSH host key .* ssh-keygen -R '\[127\.0\.0\.1\]:\d+'/),
  });
});

test('a host key of another kind than the pinned one is refused too, where ssh would take it for a new host', async () => {
  const { root, fetch, server, serve } = await bench();
  await fetch();
  await server.close();
  execFileSync('ssh-keygen', ['-q', '-t', 'ecdsa', '-N', '', '-f', join(root, 'ecdsa-host-key')]);
  await serve(join(root, 'ecdsa-host-key'), server.port);
  await expect(fetch()).rejects.toThrow(/another SSH host key/);
});

test.each([
  ['github.com', 'SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU'],
  ['gitlab.com', 'SHA256:eUXGGm1YGsMAS7vkcx6JOJdOGHPem5gQp4taiCfCLB8'],
  ['bitbucket.org', 'SHA256:ybgmFkzwOSotHTHLJgHO0QN8L0xErw6vd0VhFA9m3SM'],
])('%s is pinned to its published key before the first connection', async (host, fingerprint) => {
  const knownHosts = join(temporaryDirectory(), 'new', 'known_hosts');
  const repository = parseRepositoryUrl(`git@${host}:owner/app.git`, { allowHttp: false });
  const command = await sshCommand(repository, '192.0.2.1', { key: null, knownHosts });
  expect(command).toContain("'-oStrictHostKeyChecking=yes'");
  const shown = execFileSync('ssh-keygen', ['-l', '-F', host, '-f', knownHosts], { encoding: 'utf8' });
  expect(shown).toContain(fingerprint);
});

test('a checkout without a key fails with an error that says what to do, and uses no keys, agent or settings of the host', async () => {
  const { root, fetch, server } = await bench();
  await expect(fetch({ token: null })).rejects.toMatchObject({
    code: 'source_failed',
    message: expect.stringMatching(/has no deploy key: make one \(POST .*deploy-key\)/),
  });
  const repository = parseRepositoryUrl(`${server.url}/shop`, { allowHttp: true });
  const command = await sshCommand(repository, '127.0.0.1', { key: null, knownHosts: join(root, 'k') });
  expect(command).toMatch(/^ssh -F \/dev\/null /);
  expect(command).toContain("'-oIdentityFile=none'");
  expect(command).toContain("'-oIdentityAgent=none'");
});

test('a key that the git host does not know is distinguished from one that ssh cannot read', async () => {
  const { root, fetch } = await bench();
  const other = makeKey(join(root, 'other'));
  await expect(fetch({ token: other.privateKey })).rejects.toThrow(
    /refused the service's deploy key: add its public part/,
  );
  const broken = '-----BEGIN OPENSSH PRIVATE KEY-----\nbroken\n-----END OPENSSH PRIVATE KEY-----\n';
  await expect(fetch({ token: broken })).rejects.toThrow(/can't read the service's deploy key/);
});

test('a key is never sent to an https host', async () => {
  const { git, fetch } = await bench();
  const server = await serveGit(git, { password: 'anything' });
  onTestFinished(() => server.close());
  await expect(fetch({ url: `${server.url}/shop` })).rejects.toMatchObject({
    code: 'source_refused',
    message: expect.stringMatching(/git token is an SSH key/),
  });
  expect(server.passwords).toEqual([]);
});

test('a host without an ssh client reports that', async () => {
  const { root, fetch } = await bench();
  const path = process.env.PATH;
  onTestFinished(() => {
    process.env.PATH = path;
  });
  // git, and nothing else.
  execFileSync('mkdir', [join(root, 'bin')]);
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  writeFileSync(join(root, 'bin', 'git'), `#!/bin/sh\nexec ${git} "$@"\n`, { mode: 0o755 });
  process.env.PATH = join(root, 'bin');
  await expect(fetch()).rejects.toThrow(/This host has no ssh client/);
});

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return ''; // it has ended
  }
}
