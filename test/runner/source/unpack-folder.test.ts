/** Folders as clients upload them: what is unpacked, and archives that are made to harm. */
import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';
import { expect, test } from 'vitest';
import { unpackFolder } from '../../../runner/source/unpack-folder.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

type Wanted = Partial<Header> & { name: string; content?: string };

async function tarOf(entries: readonly Wanted[]): Promise<Buffer> {
  const tar = pack();
  const whole = buffer(tar);
  for (const { content = '', ...header } of entries) tar.entry({ ...header }, content);
  tar.finalize();
  return await whole;
}

async function unpack(
  archive: Uint8Array,
  limits = { bytesMax: 10_000, filesMax: 20 },
  signal?: AbortSignal,
) {
  const directory = join(temporaryDirectory(), 'tree');
  const request = {
    archive: (async function* () {
      for (let at = 0; at < archive.length; at += 1000) yield archive.subarray(at, at + 1000);
    })(),
    directory,
    limits,
    signal: signal ?? new AbortController().signal,
  };
  const result = await unpackFolder(request).catch((error: unknown) => error);
  return { result, directory };
}

const packed = async (entries: readonly Wanted[]) => gzipSync(await tarOf(entries));

test('a folder is unpacked with its files, directories and links, and with the modes that git stores', async () => {
  const { result, directory } = await unpack(
    await packed([
      { name: './', type: 'directory' },
      { name: './package.json', content: '{}', mode: 0o600 },
      { name: 'bin/start', content: '#!/bin/sh', mode: 0o6777 },
      { name: 'empty/', type: 'directory', mode: 0 },
      { name: 'current', type: 'symlink', linkname: 'bin/start' },
      { name: `deep/${'long/'.repeat(40)}ä.txt`, content: 'ä' },
      { name: 'sub/.git/config', content: '[core] fsmonitor = evil' },
      { name: '.GIT', content: 'gitdir: /elsewhere' },
    ]),
    { bytesMax: 13, filesMax: 50 },
  );
  expect(result).toEqual({ files: 3, bytes: 13 });
  expect(readdirSync(directory).toSorted()).toEqual(['bin', 'current', 'deep', 'empty', 'package.json']);
  expect(readFileSync(join(directory, 'current'), 'utf8')).toBe('#!/bin/sh');
  expect(readlinkSync(join(directory, 'current'))).toBe('bin/start');
  const modeOf = (path: string) => statSync(join(directory, path)).mode & 0o7777;
  expect([modeOf('package.json') & 0o111, modeOf('bin/start') & 0o7100]).toEqual([0, 0o100]);
  expect(readFileSync(join(directory, `deep/${'long/'.repeat(40)}ä.txt`), 'utf8')).toBe('ä');
});

test.each<[string, Wanted[], RegExp]>([
  ['an absolute path', [{ name: '/etc/cron.d/evil', content: 'x' }], /path "\/etc\/cron.d\/evil"/],
  ['a path with ..', [{ name: 'a/../../evil', content: 'x' }], /path "a\/..\/..\/evil"/],
  [
    'an absolute link',
    [{ name: 'link', type: 'symlink', linkname: '/etc' }],
    /link "link" leads out of it, to "\/etc"/,
  ],
  ['a link with ..', [{ name: 'a/link', type: 'symlink', linkname: '../../etc' }], /leads out/],
  [
    'a link that leads out through another one',
    [
      { name: 'a/up', type: 'symlink', linkname: '..' },
      { name: 'out', type: 'symlink', linkname: 'a/up/..' },
    ],
    /link "out" leads out/,
  ],
  [
    'a link whose text stays inside and that another one carries out',
    [
      { name: 'x/', type: 'directory' },
      { name: 'a/b/c/d', type: 'symlink', linkname: '../../../x' },
      { name: 'e', type: 'symlink', linkname: 'a/b/c/d/../..' },
      { name: 'e/evil', type: 'symlink', linkname: 'tree/payload' },
    ],
    /link "e" leads out/,
  ],
  [
    'a link to what is missing outside',
    [
      { name: 'x/', type: 'directory' },
      { name: 'a/b/c/d', type: 'symlink', linkname: '../../../x' },
      { name: 'g', type: 'symlink', linkname: 'a/b/c/d/../../later' },
    ],
    /link "g" leads out/,
  ],
  [
    'a link behind a link',
    [
      { name: 'in/', type: 'directory' },
      { name: 'up', type: 'symlink', linkname: 'in' },
      { name: 'up/link', type: 'symlink', linkname: 'x' },
    ],
    /link "up\/link" leads out/,
  ],
  [
    'links in a circle',
    [
      { name: 'one', type: 'symlink', linkname: 'two' },
      { name: 'two', type: 'symlink', linkname: 'one' },
    ],
    /link "one" leads out/,
  ],
  ['an empty link', [{ name: 'link', type: 'symlink', linkname: '' }], /leads out/],
  ['a hard link', [{ name: 'passwd', type: 'link', linkname: '/etc/passwd' }], /"passwd" is a hard link/],
  ['a device', [{ name: 'sda', type: 'block-device', devmajor: 8, devminor: 0 }], /"sda" is a block-device/],
  ['a pipe', [{ name: 'pipe', type: 'fifo' }], /"pipe" is a fifo/],
  [
    'a file below a link',
    [
      { name: 'etc', type: 'symlink', linkname: 'inside' },
      { name: 'etc/passwd', content: 'x' },
    ],
    /two of its entries have the same path/,
  ],
  [
    'two files with one path',
    [
      { name: 'a', content: '1' },
      { name: './a', content: '2' },
    ],
    /two of its entries have the same path/,
  ],
  ['a path that is too long', [{ name: 'x'.repeat(300), content: '1' }], /longer than Linux can open/],
  [
    'too many bytes',
    [{ name: 'big', content: 'x'.repeat(10_001) }],
    /folder is too large: its files take 1 MB/,
  ],
  [
    'too many files',
    Array.from({ length: 21 }, (_, at) => ({ name: `f${at}`, content: '' })),
    /folder is too large: it has more than 20 files/,
  ],
  ['too many directories', [{ name: `${'d/'.repeat(30)}f`, content: '' }], /more than 20 files/],
  [
    'too many links',
    Array.from({ length: 21 }, (_, at) => ({ name: `l${at}`, type: 'symlink' as const, linkname: 'x' })),
    /more than 20 files/,
  ],
])('a folder with %s is refused', async (_, entries, why) => {
  const { result, directory } = await unpack(await packed(entries));
  expect(result).toMatchObject({ code: 'source_refused', message: expect.stringMatching(why) });
  expect(readdirSync(join(directory, '..'))).toEqual(['tree']);
  expect(lstatSync('/etc/passwd').nlink).toBe(1);
});

test('an archive whose bytes belong to no file ends at the limit', async () => {
  const { result } = await unpack(gzipSync(Buffer.alloc(20_000_000)));
  expect(result).toMatchObject({ code: 'source_refused', message: expect.stringMatching(/too large/) });
});

test('an archive with a header of a gigabyte is refused before it is read into memory', async () => {
  const huge = await tarOf([{ name: 'x', pax: { path: 'y' }, content: '' }]);
  huge.write('07777777777\0', 124, 'latin1'); // the size of the pax header
  huge.write('        ', 148, 'latin1');
  const sum = huge.subarray(0, 512).reduce((all, byte) => all + byte, 0);
  huge.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  const { result } = await unpack(gzipSync(huge));
  expect(result).toMatchObject({
    code: 'source_refused',
    message: expect.stringMatching(/Header exceeds max size/),
  });
});

test.each<[string, (whole: Buffer) => Uint8Array]>([
  ['is no gzip', () => Buffer.from('PK\u0003\u0004 a zip')],
  ['ends too early', (whole) => whole.subarray(0, whole.length - 20)],
  ['holds no tar', () => gzipSync(Buffer.from('hello'.repeat(300)))],
  ['is cut inside a file', () => gzipSync(Buffer.alloc(0))],
])('an archive that %s is refused with its reason', async (name, damage) => {
  const whole = await packed([{ name: 'a', content: 'x'.repeat(5000) }]);
  const archive = name.startsWith('is cut')
    ? gzipSync((await tarOf([{ name: 'a', content: 'x'.repeat(5000) }])).subarray(0, 2000))
    : damage(whole);
  const { result } = await unpack(archive);
  expect(result).toMatchObject({
    code: 'source_refused',
    message: expect.stringMatching(/is no gzipped tar, or incomplete/),
  });
});

test('an abort ends the unpacking with its reason', async () => {
  const aborter = new AbortController();
  aborter.abort(new Error('aborted by the user'));
  const { result } = await unpack(await packed([{ name: 'a', content: 'x' }]), undefined, aborter.signal);
  expect(result).toEqual(new Error('aborted by the user'));
});
