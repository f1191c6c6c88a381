/** An abort at any moment of a checkout ends it with all its processes and connections. Gates hold each moment open. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type CheckoutRequest, checkOut } from '../../../runner/source/git-checkout.ts';
import { testContext } from '../../support/runner/job-context.ts';
import { commitRepository } from '../../support/runner/repository.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';
import { until } from '../../support/runner/until.ts';
import { serveGit } from '../../support/servers/git-server.ts';
import { pointerOf, serveLfs } from '../../support/servers/lfs-server.ts';

const large = 'a large file '.repeat(1000);

/** Processes whose working directory is below this one. */
function processesIn(directory: string): string[] {
  const links = execFileSync('sh', ['-c', 'for p in /proc/[0-9]*; do readlink $p/cwd; done; true'], {
    encoding: 'utf8',
  });
  return links.split('\n').filter((line) => line.startsWith(`${directory}/`));
}

/** A repository that is served until `at` says that the moment has come; what is asked for then never gets its answer. */
async function heldAt(at: (path: string) => boolean, lfsHeld = false) {
  const root = temporaryDirectory();
  const theme = commitRepository(join(root, 'git'), 'theme', { 'theme.css': 'x' });
  const shop = join(root, 'git', 'shop');
  commitRepository(join(root, 'git'), 'shop', {
    '.gitattributes': '*.bin filter=lfs\n',
    'large.bin': pointerOf(large),
    '.gitmodules': '[submodule "theme"]\n\tpath = theme\n\turl = ../theme\n',
  });
  execFileSync('git', ['-C', shop, 'update-index', '--add', '--cacheinfo', `160000,${theme},theme`]);
  const who = ['-c', 'user.name=test', '-c', 'user.email=test@localhost'];
  execFileSync('git', ['-C', shop, ...who, 'commit', '-q', '-m', 'submodule']);
  const reached = Promise.withResolvers<void>();
  const hold = (path: string) => {
    if (!at(path)) return;
    reached.resolve();
    return new Promise<void>(() => undefined);
  };
  const git = await serveGit(join(root, 'git'), { gate: hold });
  const lfs = await serveLfs({ objects: [large], gitUrl: git.url, ...(lfsHeld ? { gate: hold } : {}) });
  onTestFinished(async () => {
    await lfs.close();
    await git.close();
  });
  const context = testContext();
  const work = join(root, 'work');
  const request: CheckoutRequest = {
    url: `${lfsHeld ? lfs.url : git.url}/shop`,
    branch: 'main',
    token: null,
    allowPrivate: true,
    directory: work,
    knownHosts: join(root, 'known_hosts'),
    submodules: 'top',
    lfs: true,
  };
  return {
    context,
    work,
    reached: reached.promise,
    checkout: checkOut(request, context.log, context.signal),
    lfs,
  };
}

test.each([
  ['the first question', (path: string) => path.startsWith('/shop/info/refs')],
  ['the pack', (path: string) => path.startsWith('/shop/git-upload-pack')],
  ['a submodule', (path: string) => path.startsWith('/theme/git-upload-pack')],
])('while git waits for %s, no process of it is left', async (_, at) => {
  const { context, work, reached, checkout } = await heldAt(at);
  await reached;
  expect(processesIn(work)).not.toEqual([]);
  context.abort();
  await expect(checkout).rejects.toMatchObject({ name: 'JobStopped', reason: 'aborted' });
  await until('no process of the checkout is left', () => processesIn(work).length === 0);
});

test.each([
  ['the batch API of LFS', (path: string) => path.endsWith('/objects/batch')],
  ['a large file', (path: string) => path.startsWith('/objects/')],
])('while %s does not answer, its connection is closed', async (_, at) => {
  const { context, reached, checkout, lfs } = await heldAt(at, true);
  await reached;
  context.abort();
  await expect(checkout).rejects.toMatchObject({ name: 'JobStopped', reason: 'aborted' });
  await until('the LFS server has lost its client', () => lfs.lost() > 0);
});

test('while files are written, git ends and leaves no process', async () => {
  const root = temporaryDirectory();
  commitRepository(join(root, 'git'), 'shop', { README: 'x' });
  const server = await serveGit(join(root, 'git'));
  // The git of this test stops at the moment of its checkout, and says so.
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  const reached = join(root, 'reached');
  execFileSync('mkdir', [join(root, 'bin')]);
  writeFileSync(
    join(root, 'bin', 'git'),
    `#!/bin/sh\ncase "$*" in *checkout*) echo $$ > '${reached}'; sleep 600 & wait;; esac\nexec ${real} "$@"\n`,
    { mode: 0o755 },
  );
  const path = process.env.PATH;
  process.env.PATH = `${join(root, 'bin')}:${path}`;
  onTestFinished(async () => {
    process.env.PATH = path;
    await server.close();
  });
  const context = testContext();
  const work = join(root, 'work');
  const request = { url: `${server.url}/shop`, branch: 'main', token: null, allowPrivate: true };
  const more = { directory: work, knownHosts: join(root, 'known_hosts') };
  const checkout = checkOut({ ...request, ...more }, context.log, context.signal);
  checkout.catch(() => undefined);
  await until('git writes files', () => existsSync(reached) && readFileSync(reached, 'utf8') !== '');
  context.abort();
  await expect(checkout).rejects.toMatchObject({ name: 'JobStopped' });
  await until('no process of the checkout is left', () => processesIn(work).length === 0);
});
