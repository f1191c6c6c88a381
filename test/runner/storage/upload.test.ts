/** Copies in the bucket, sent and fetched by a host: what fails is tried again, and what does not end well leaves nothing. */
import { createHash } from 'node:crypto';
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { copyPartBytes, copyPartsMax } from '../../../protocol/backup-copy.ts';
import type { WrittenFile } from '../../../runner/storage/backup-files.ts';
import { type CopyAccess, triesMax } from '../../../runner/storage/copy-requests.ts';
import { fetchCopy } from '../../../runner/storage/fetch-copy.ts';
import { uploadBackup } from '../../../runner/storage/upload.ts';
import { type CopyServer, copyServer } from '../../support/servers/copy-server.ts';

const checksumOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'longshore-copies-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function file(text = 'a whole backup'): Promise<WrittenFile> {
  const path = join(await directory(), 'bak');
  await writeFile(path, text);
  return { path, sizeBytes: Buffer.byteLength(text), checksum: checksumOf(Buffer.from(text)) };
}

function accessTo({ url }: CopyServer, signal = new AbortController().signal) {
  const waits: number[] = [];
  const access: CopyAccess = {
    controlPlaneUrl: url,
    jobId: 'job_1',
    token: 'token',
    signal,
    wait: async (failures) => void waits.push(failures),
  };
  return { access, waits };
}

const upload = (server: CopyServer, of: WrittenFile) => uploadBackup(accessTo(server).access, of, () => {});

test('a file of two parts becomes one object, is read back, and reports its progress', {
  tags: 'slow',
}, async () => {
  const path = join(await directory(), 'bak');
  const handle = await open(path, 'w');
  await handle.write('end', copyPartBytes);
  await handle.close();
  const bytes = await readFile(path);
  const of = { path, sizeBytes: bytes.length, checksum: checksumOf(bytes) };
  const server = await copyServer();
  const reported: number[] = [];
  await uploadBackup(accessTo(server).access, of, (done) => reported.push(done));
  expect(server.object?.equals(bytes)).toBe(true);
  expect(server.steps).toEqual(['begin', 'part 1', 'part 2', 'complete', 'read', 'read']);
  expect(reported).toEqual([copyPartBytes, copyPartBytes + 3]);
});

test.each(['begin', 'part 1', 'complete', 'read'])(
  '%s that fails with 503 is retried, later each time',
  async (step) => {
    const server = await copyServer((at, times) => (at === step && times <= 2 ? 503 : undefined));
    const { access, waits } = accessTo(server);
    await uploadBackup(access, await file(), () => {});
    expect([server.object?.toString(), waits]).toEqual(['a whole backup', [1, 2]]);
  },
);

test('a part whose connection breaks is sent again, whole', async () => {
  const server = await copyServer((at, times) => (at === 'part 1' && times === 1 ? 'break' : undefined));
  await upload(server, await file());
  expect(server.object?.toString()).toBe('a whole backup');
});

test('a copy whose reading breaks off is resumed from there', async () => {
  const server = await copyServer((at, times) => (at === 'read' && times <= 2 ? 'break' : undefined));
  await upload(server, await file());
  expect(server.steps.filter((step) => step === 'read')).toHaveLength(3);
});

test.each(['begin', 'part 1', 'complete', 'read'])(
  '%s that keeps failing ends the upload, and nothing is left',
  async (step) => {
    const server = await copyServer((at) => (at === step ? 500 : undefined));
    await expect(upload(server, await file())).rejects.toThrow(`Refused at ${step}.`);
    expect(server.steps.filter((one) => one === step)).toHaveLength(triesMax);
    expect([server.object, [...server.open]]).toEqual([null, []]);
  },
);

test('a refused request is not repeated', async () => {
  const server = await copyServer((at) => (at === 'part 1' ? 409 : undefined));
  await expect(upload(server, await file())).rejects.toThrow('Refused at part 1.');
  expect(server.steps).toEqual(['begin', 'part 1', 'discard']);
  expect([...server.open]).toEqual([]);
});

test('a copy with other bytes than the file is refused and removed', async () => {
  const of = await file();
  const server = await copyServer();
  await expect(upload(server, { ...of, checksum: checksumOf(Buffer.from('other')) })).rejects.toThrow(
    'The bytes read back from the bucket are not the bytes that were sent.',
  );
  expect([server.object, server.steps.at(-1)]).toEqual([null, 'discard']);
});

test('an aborted upload is removed', async () => {
  const reached = Promise.withResolvers<void>();
  const server = await copyServer((at) => {
    if (at === 'part 1') reached.resolve();
    return at === 'part 1' ? 503 : undefined;
  });
  const controller = new AbortController();
  const { access } = accessTo(server, controller.signal);
  const wait = () =>
    new Promise<void>((resolve) => controller.signal.addEventListener('abort', () => resolve()));
  const sending = uploadBackup({ ...access, wait }, await file(), () => {});
  const ended = expect(sending).rejects.toThrow('enough');
  await reached.promise;
  controller.abort(new Error('enough'));
  await ended;
  expect([server.steps.at(-1), [...server.open]]).toEqual(['discard', []]);
});

test('a file with more parts than a copy may have is refused before a byte is sent', async () => {
  const server = await copyServer();
  const of = { ...(await file()), sizeBytes: copyPartBytes * copyPartsMax + 1 };
  await expect(upload(server, of)).rejects.toThrow(/the limit for a copy is 201326592000/);
  expect(server.steps).toEqual([]);
});

test('a fetched copy is a file with the very bytes, also when the reading broke off', async () => {
  const server = await copyServer((at, times) => (at === 'read' && times === 2 ? 'break' : undefined));
  const of = await file();
  await upload(server, of);
  const path = join(await directory(), 'fetched');
  await fetchCopy(accessTo(server).access, path, of, () => {});
  expect(await readFile(path, 'utf8')).toBe('a whole backup');
});

test.each([
  ['other bytes', { checksum: checksumOf(Buffer.from('other')) }, /its checksum is not the one/],
  ['another size', { sizeBytes: 99 }, /does not have the size of the backup/],
])('a copy with %s is refused, and no file stays', async (_, wrong, words) => {
  const server = await copyServer();
  const of = await file();
  await upload(server, of);
  const place = await directory();
  await expect(
    fetchCopy(accessTo(server).access, join(place, 'fetched'), { ...of, ...wrong }, () => {}),
  ).rejects.toThrow(words);
  expect(await readdir(place)).toEqual([]);
});
