/** The archive of a folder: the same files give the same bytes, and the runner unpacks them. */
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listFolder } from '../../../cli/folder/list-folder.ts';
import { packFolder } from '../../../cli/folder/pack-folder.ts';
import { unpackFolder } from '../../../runner/source/unpack-folder.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

function newFolder(changed: number): string {
  const folder = temporaryDirectory();
  mkdirSync(join(folder, 'deep', 'x'.repeat(120)), { recursive: true });
  writeFileSync(join(folder, 'deep', 'x'.repeat(120), 'ä.txt'), 'ä');
  writeFileSync(join(folder, 'empty'), '');
  writeFileSync(join(folder, 'big'), Buffer.alloc(3_000_000, 7));
  writeFileSync(join(folder, 'run'), '#!/bin/sh');
  chmodSync(join(folder, 'run'), 0o700);
  symlinkSync('run', join(folder, 'link'));
  utimesSync(join(folder, 'run'), changed, changed);
  return folder;
}

async function pack(folder: string) {
  const { entries } = await listFolder(folder);
  const path = join(temporaryDirectory(), 'folder.tar.gz');
  const done: number[] = [];
  const packed = await packFolder(folder, entries, path, (bytes) => done.push(bytes));
  return { ...packed, path, done };
}

test('two folders with the same files give the same archive, whenever they were written', async () => {
  const [one, other] = await Promise.all([pack(newFolder(1)), pack(newFolder(1_000_000))]);
  expect(other.checksum).toBe(one.checksum);
  expect(one.checksum).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect([readFileSync(one.path).length, one.done.at(-1)]).toEqual([one.sizeBytes, 3_000_011]);
});

test('a changed file changes the archive, and so does its right to be executed', async () => {
  const folder = newFolder(1);
  const before = await pack(folder);
  chmodSync(join(folder, 'run'), 0o600);
  const after = await pack(folder);
  writeFileSync(join(folder, 'empty'), '!');
  expect(new Set([before, after, await pack(folder)].map(({ checksum }) => checksum)).size).toBe(3);
});

test('the runner unpacks what was packed', async () => {
  const folder = newFolder(1);
  const { path } = await pack(folder);
  const directory = join(temporaryDirectory(), 'tree');
  const archive = (async function* () {
    yield readFileSync(path);
  })();
  expect(await unpackFolder({ archive, directory, signal: new AbortController().signal })).toEqual({
    files: 4,
    bytes: 3_000_011,
  });
  const all = (of: string) => readdirSync(of, { recursive: true }).toSorted();
  expect(all(directory)).toEqual(all(folder));
  expect(readFileSync(join(directory, 'link'), 'utf8')).toBe('#!/bin/sh');
});

test('a file that grows is packed as it was listed; one that shrinks or is gone is named', async () => {
  const folder = newFolder(1);
  const { entries } = await listFolder(folder);
  const path = join(temporaryDirectory(), 'folder.tar.gz');
  writeFileSync(join(folder, 'run'), '#!/bin/sh\necho more');
  const packed = await packFolder(folder, entries, path, () => {});
  expect(packed.checksum).toBe((await pack(newFolder(1))).checksum);
  writeFileSync(join(folder, 'big'), 'small');
  await expect(packFolder(folder, entries, path, () => {})).rejects.toThrow(/^big could not be packed/);
  const gone = [{ path: 'gone', size: 1, isExecutable: false }];
  await expect(packFolder(folder, gone, path, () => {})).rejects.toThrow(/^gone could not be packed/);
});
