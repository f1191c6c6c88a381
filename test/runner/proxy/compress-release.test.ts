import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compressRelease } from '../../../runner/proxy/compress-release.ts';

const text = 'the same words again and again '.repeat(200);
const never = new AbortController().signal;
let release: string;

beforeEach(async () => {
  release = await mkdtemp(join(tmpdir(), 'longshore-release-'));
  await mkdir(join(release, 'assets'));
});
afterEach(() => rm(release, { recursive: true, force: true }));

test('files of text get a smaller form of each encoding, with the same content', async () => {
  const names = ['index.html', 'assets/app.js', 'assets/a.wasm', 'UPPER.SVG'];
  for (const name of names) await writeFile(join(release, name), text);
  const sums = await compressRelease(release, never);
  expect(sums).toMatchObject({ files: names.length, bytes: names.length * text.length });
  expect(sums.compressedBytes).toBeLessThan(sums.bytes / 10);
  for (const name of names) {
    expect(brotliDecompressSync(await readFile(join(release, `${name}.br`))).toString()).toBe(text);
    expect(gunzipSync(await readFile(join(release, `${name}.gz`))).toString()).toBe(text);
  }
});

test('what is compressed already, small, or gets no smaller has no other form', async () => {
  for (const name of ['photo.jpg', 'font.woff2', 'a.zip', 'app.js.map.gz'])
    await writeFile(join(release, name), text);
  await writeFile(join(release, 'small.css'), 'a{}');
  await writeFile(join(release, 'random.js'), randomBytes(8_000));
  const before = await readdir(release);
  expect(await compressRelease(release, never)).toEqual({ files: 0, bytes: 0, compressedBytes: 0 });
  expect(await readdir(release)).toEqual(before);
});

test('what the build has compressed stays, and nothing is written through a link', async () => {
  await writeFile(join(release, 'app.js'), text);
  await writeFile(join(release, 'app.js.br'), 'as built');
  await writeFile(join(release, 'other'), 'kept');
  await symlink('other', join(release, 'app.js.gz'));
  await compressRelease(release, never);
  expect(await readFile(join(release, 'app.js.br'), 'utf8')).toBe('as built');
  expect(await readFile(join(release, 'other'), 'utf8')).toBe('kept');
});

test('the compression of a release ends when its deployment is aborted, and when its time is over', async () => {
  await writeFile(join(release, 'app.js'), text);
  await expect(compressRelease(release, AbortSignal.abort())).rejects.toThrow('abort');
  expect(await compressRelease(release, never, -1)).toMatchObject({ files: 0 });
});
