/** Files of Git LFS from a real batch API with a token. */
import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type CheckoutRequest, checkOut } from '../../../runner/source/git-checkout.ts';
import { sourceLimits } from '../../../runner/source/source-budget.ts';
import { testContext } from '../../support/runner/job-context.ts';
import { commitRepository, type TestFile } from '../../support/runner/repository.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';
import { serveGit } from '../../support/servers/git-server.ts';
import { type LfsServerOptions, pointerOf, serveLfs } from '../../support/servers/lfs-server.ts';

const token = 'canary-token-lfs-91';
const model = 'a large model '.repeat(1000);
const logo = 'a logo';
const attributes = { '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' };

async function bench(files: Record<string, TestFile>, options: Partial<LfsServerOptions> = {}) {
  const root = temporaryDirectory();
  commitRepository(join(root, 'git'), 'shop', files);
  const git = await serveGit(join(root, 'git'), { password: token });
  const lfs = await serveLfs({ objects: [model, logo], gitUrl: git.url, password: token, ...options });
  onTestFinished(async () => {
    await lfs.close();
    await git.close();
  });
  const context = testContext();
  const fetch = (more: Partial<CheckoutRequest> = {}) =>
    checkOut(
      {
        url: `${lfs.url}/shop`,
        branch: 'main',
        token,
        allowPrivate: true,
        directory: join(root, 'work'),
        knownHosts: join(root, 'known_hosts'),
        lfs: true,
        ...more,
      },
      context.log,
      context.signal,
    );
  return { root, lfs, context, fetch };
}

const files = () => ({
  ...attributes,
  'model.bin': pointerOf(model),
  'copy of.bin': pointerOf(model),
  'img/logo.bin': pointerOf(logo),
  'server.js': 'x',
});

test('contents replace their pointers, each requested once and verified by its SHA-256', async () => {
  const { fetch, lfs, root, context } = await bench(files());
  const { tree } = await fetch();
  expect(readFileSync(join(tree, 'model.bin'), 'utf8')).toBe(model);
  expect(readFileSync(join(tree, 'copy of.bin'), 'utf8')).toBe(model);
  expect(readFileSync(join(tree, 'img/logo.bin'), 'utf8')).toBe(logo);
  expect(lfs.downloads).toHaveLength(2);
  expect(readdirSync(join(root, 'work', 'home', 'lfs'))).toEqual([]);
  expect(context.text()).toContain('Fetching 2 files of Git LFS');
});

test('an executable file stays executable, in all its places', async () => {
  const pointers = { ...attributes, 'one.bin': pointerOf(logo), 'tool.bin': pointerOf(logo) };
  const { root, fetch } = await bench(pointers);
  chmodSync(join(root, 'git', 'shop', 'tool.bin'), 0o755);
  commitRepository(join(root, 'git'), 'shop', {});
  const { tree } = await fetch();
  const isExecutable = (name: string) => (statSync(join(tree, name)).mode & 0o100) !== 0;
  expect(['one.bin', 'tool.bin'].map(isExecutable)).toEqual([false, true]);
});

test('the token is sent to the batch API of the repository, and to no download', async () => {
  const { fetch, lfs, context } = await bench(files());
  await fetch();
  expect(lfs.asked).toEqual([`Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`]);
  expect(lfs.downloads.map(({ authorization }) => authorization)).toEqual([undefined, undefined]);
  expect(lfs.downloads[0]).toMatchObject({ 'x-pass': 'for-this-one' });
  expect(context.text()).not.toContain(token);
});

test('a checkout without the variable keeps pointers, and one line says how to get the files', async () => {
  const { fetch, lfs, context } = await bench(files());
  const { tree } = await fetch({ lfs: false });
  expect(readFileSync(join(tree, 'model.bin'), 'utf8')).toBe(pointerOf(model));
  expect(lfs.asked).toEqual([]);
  const warnings = context.lines.filter(({ text }) => text.includes('Git LFS'));
  expect(warnings).toHaveLength(1);
  expect(warnings[0]?.text).toMatch(/^Warning: 2 files .* GIT_LFS=true/);
});

test('a repository that only talks of pointers is not warned about', async () => {
  const { fetch, context } = await bench({ 'docs/pointer.txt': pointerOf(model) });
  await fetch({ lfs: false });
  expect(context.text()).not.toContain('LFS');
});

test('an address of the repository itself (.lfsconfig) is not used: no other server gets a request or the token', async () => {
  const { fetch, lfs } = await bench({
    ...files(),
    '.lfsconfig': '[lfs]\n\turl = http://127.0.0.1:9/elsewhere\n',
  });
  await fetch();
  expect(lfs.asked).toHaveLength(1);
});

const failures: [string, Partial<LfsServerOptions>, RegExp][] = [
  [
    'another content',
    { content: () => 'evil  ' },
    /logo\.bin could not be fetched: the server sent bytes with another SHA-256/,
  ],
  [
    'more than the pointer says',
    { content: (text) => text + text },
    /the server sent more bytes than the pointer file states/,
  ],
  ['a missing object', { objects: [model] }, /logo\.bin could not be fetched: Object does not exist/],
  ['a file of the host', { href: () => 'file:///etc/passwd' }, /gave a download URL that is not https/],
  ['a wrong token', { password: 'another' }, /it refused the stored git token/],
];
test.each(failures)(
  '%s is refused in a sentence that names the file or the server',
  async (_, options, sentence) => {
    const { fetch } = await bench({ ...attributes, 'logo.bin': pointerOf(logo) }, options);
    await expect(fetch()).rejects.toThrow(sentence);
  },
);

test('the sizes that pointers claim count before anything is downloaded', async () => {
  const { fetch, lfs } = await bench(files());
  const limits = { ...sourceLimits, bytesMax: 20_000 };
  await expect(fetch({ limits })).rejects.toMatchObject({ code: 'source_refused' });
  expect(lfs.asked).toEqual([]);
});
