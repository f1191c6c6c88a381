import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureWorkerBundle, sourcesHash } from '../../../local/worker-bundle/worker-bundle.ts';
import { temporaryDirectory } from '../../support/runner/temporary.ts';

const config = {
  name: 'longshore',
  compatibilityDate: '2026-10-01',
  compatibilityFlags: [],
  vars: {},
  databaseBindings: ['DB'],
  bucketBindings: [],
  durableObjects: {},
};

/** A file of each part of the Worker and of what hosts download. */
const bundled = [
  'worker/api/a.ts',
  'protocol/p.ts',
  'runner/r.ts',
  'host/h.ts',
  'dashboard/d.tsx',
  'client/c.ts',
  'cli/c.ts',
  'local/setup/s.ts',
  'migrations/meta/_journal.json',
  'docs/README.md',
  'README.md',
  'wrangler.toml',
  'package.json',
  'package-lock.json',
];

/** A small project, and a builder that counts. */
async function project() {
  const projectRoot = await temporaryDirectory();
  for (const path of [...bundled, 'worker/index.ts', 'tsconfig.json']) {
    await mkdir(dirname(join(projectRoot, path)), { recursive: true });
    await writeFile(join(projectRoot, path), path);
  }
  let builds = 0;
  const build = async (_root: string, directory: string) => {
    builds += 1;
    await writeFile(join(directory, 'index.js'), 'export default {}');
    await writeFile(join(directory, 'config.json'), JSON.stringify(config));
  };
  const cache = join(projectRoot, 'cache');
  return { projectRoot, cache, build, builds: () => builds };
}

test('the Worker bundle is built once for the same sources', async () => {
  const sources = await project();
  expect(await ensureWorkerBundle(sources)).toMatchObject({ built: true, config });
  expect(await ensureWorkerBundle(sources)).toMatchObject({ built: false, config });
  expect(sources.builds()).toBe(1);
});

test('a Worker bundle is built again after a change, and the old one is removed an hour later', async () => {
  const sources = await project();
  const change = (text: string) => writeFile(join(sources.projectRoot, 'worker/api/a.ts'), text);
  const { script } = await ensureWorkerBundle(sources);
  await change('changed');
  expect(await ensureWorkerBundle(sources)).toMatchObject({ built: true });
  expect(await readdir(sources.cache)).toHaveLength(2);
  const longAgo = new Date(Date.now() - 61 * 60_000);
  await utimes(dirname(script), longAgo, longAgo);
  await change('changed again');
  await ensureWorkerBundle(sources);
  expect(await readdir(sources.cache)).toHaveLength(2);
  await expect(readFile(script)).rejects.toThrow('ENOENT');
});

test('a build that fails leaves nothing behind and is retried', async () => {
  const sources = await project();
  const failing = { ...sources, build: () => Promise.reject(new Error('syntax')) };
  await expect(ensureWorkerBundle(failing)).rejects.toMatchObject({ code: 'bundle_failed' });
  expect(await readdir(sources.cache)).toEqual([]);
  expect(await ensureWorkerBundle(sources)).toMatchObject({ built: true });
});

test('a half-written bundle is not used', async () => {
  const sources = await project();
  const { script } = await ensureWorkerBundle(sources);
  await writeFile(join(script, '..', 'config.json'), '{');
  expect(await ensureWorkerBundle(sources)).toMatchObject({ built: true });
});

test.each(bundled)('the hash of the sources knows a change of %s', async (path) => {
  const { projectRoot } = await project();
  const before = await sourcesHash(projectRoot);
  await writeFile(join(projectRoot, path), 'changed');
  expect(await sourcesHash(projectRoot)).not.toBe(before);
});

test('the hash of the sources knows a new and a moved file, and no others', async () => {
  const { projectRoot } = await project();
  const before = await sourcesHash(projectRoot);
  await writeFile(join(projectRoot, 'LICENSE'), 'not a source');
  expect(await sourcesHash(projectRoot)).toBe(before);
  await writeFile(join(projectRoot, 'worker/b.ts'), '');
  expect(await sourcesHash(projectRoot)).not.toBe(before);
});

test('of two builds of the same sources at once, the first stays: it may be in use', async () => {
  const sources = await project();
  const bothBuild = Promise.withResolvers<void>();
  const firstIsDone = Promise.withResolvers<void>();
  const script = (name: string) => `export default '${name}'`;
  const builder = (name: string, before: Promise<void>) => async (root: string, directory: string) => {
    await sources.build(root, directory);
    await writeFile(join(directory, 'index.js'), script(name));
    if (sources.builds() === 2) bothBuild.resolve();
    await before;
  };
  const first = ensureWorkerBundle({ ...sources, build: builder('first', bothBuild.promise) });
  const second = ensureWorkerBundle({ ...sources, build: builder('second', firstIsDone.promise) });
  const { script: path } = await first;
  firstIsDone.resolve();
  expect((await second).script).toBe(path);
  expect(await readFile(path, 'utf8')).toBe(script('first'));
});
