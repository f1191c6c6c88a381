import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cacheDirectory, cachedFiles } from '../../../local/images/image-cache.ts';

const key = { image: 'redis:8', hash: 'abc' };
const never = () => Promise.reject(new Error('made again'));
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'longshore-cache-'));
});
afterEach(() => rm(directory, { recursive: true }));

test('a cached image is read back unchanged and is not built again', async () => {
  const made = 'files '.repeat(100_000);
  expect(await text(await cachedFiles(directory, key, async () => Readable.from([made])))).toBe(made);
  expect(await text(await cachedFiles(directory, key, never))).toBe(made);
});

test('a new recipe of an image replaces the old one; other images stay', async () => {
  const other = { image: 'redis-like:8', hash: 'abc' };
  for (const one of [key, other, { ...key, hash: 'def' }])
    await text(await cachedFiles(directory, one, async () => Readable.from(['x'])));
  expect((await readdir(directory)).sort()).toEqual(['redis-like_8-abc.tar.zst', 'redis_8-def.tar.zst']);
});

test('a failed build leaves nothing that looks finished', async () => {
  const breaking = async () =>
    Readable.from(
      (async function* () {
        yield 'half';
        throw new Error('disk');
      })(),
    );
  await expect(cachedFiles(directory, key, breaking)).rejects.toThrow('disk');
  expect(await readdir(directory)).toEqual([]);
});

test('a damaged archive fails its reader', async () => {
  await writeFile(join(directory, 'redis_8-abc.tar.zst'), 'not zstd');
  await expect(text(await cachedFiles(directory, key, never))).rejects.toThrow();
});

test("the cache directory is the user's", () => {
  expect(cacheDirectory({ XDG_CACHE_HOME: '/x' })).toBe('/x/longshore/images');
  expect(cacheDirectory({})).toMatch(/\/\.cache\/longshore\/images$/);
});
