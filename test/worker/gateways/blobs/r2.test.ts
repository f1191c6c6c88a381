/** The bucket as the control plane uses it: Miniflare's R2, and the same one failing. */
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { copyPartBytes } from '../../../../protocol/backup-copy.ts';
import { createBlobs } from '../../../../worker/gateways/blobs/create-blobs.ts';
import { type BucketCall, failingBucket } from '../../../support/worker/failing-bucket.ts';

let keys = 0;
const newKey = () => `backups/svc_blobs${++keys}/bak`;
const blobs = createBlobs({ r2: env.BLOBS });
const failing = (call: BucketCall) => createBlobs({ r2: failingBucket((one) => one === call) });
const text = async (body: ReadableStream | null) => (body === null ? null : await new Response(body).text());
const streamOf = (bytes: string): ReadableStream => {
  const { body } = new Response(bytes);
  if (!body) throw new Error('no body');
  return body;
};

/** R2 takes no smaller part but as the last one. */
const firstPart = 'a'.repeat(5 * 1024 * 1024);

async function uploaded(key: string, owner = 'job') {
  const upload = { key, id: await blobs.begin(key, owner) };
  const tags = [
    await blobs.putPart(upload, 1, streamOf(firstPart)),
    await blobs.putPart(upload, 2, streamOf('end')),
  ];
  return { upload, tags };
}

test('an upload is an object once it is complete, and none before; any range of it is read', async () => {
  const key = newKey();
  const { upload, tags } = await uploaded(key);
  expect([await blobs.size(key), await blobs.read(key, { first: 0, last: 1 })]).toEqual([null, null]);
  await blobs.complete(upload, 'job', tags);
  expect(await blobs.size(key)).toBe(firstPart.length + 3);
  expect(await text(await blobs.read(key, { first: firstPart.length - 1, last: firstPart.length + 1 }))).toBe(
    'aen',
  );
});

test('an upload that is removed leaves nothing, takes no part any more, and is removed again without an error', async () => {
  const key = newKey();
  const { upload, tags } = await uploaded(key);
  await blobs.abort(upload);
  await blobs.abort(upload);
  await expect(blobs.putPart(upload, 3, streamOf('x'))).rejects.toMatchObject({ code: 'conflict' });
  await expect(blobs.complete(upload, 'job', tags)).rejects.toMatchObject({ code: 'conflict' });
  expect(await blobs.size(key)).toBeNull();
});

test('an upload whose completion answer was lost is complete when requested again, for its owner alone', async () => {
  const key = newKey();
  const { upload, tags } = await uploaded(key);
  let lost = 0;
  const losing = createBlobs({
    r2: failingBucket((call) => call === 'complete, answer lost' && lost++ === 0),
  });
  await losing.complete(upload, 'job', tags);
  await blobs.complete(upload, 'job', tags);
  await expect(blobs.complete(upload, 'other', tags)).rejects.toMatchObject({ code: 'conflict' });
});

test.each([
  ['part 1', (key: string) => failing('part 1').putPart({ key, id: 'x' }, 1, streamOf('x'))],
  ['complete', (key: string) => failing('complete').complete({ key, id: 'x' }, 'job', ['x'])],
  ['createMultipartUpload', (key: string) => failing('createMultipartUpload').begin(key, 'job')],
  ['delete', (key: string) => failing('delete').remove([key])],
] as const)('an upload to a bucket that fails at %s is unavailable: worth another try', async (_, work) => {
  await expect(work(newKey())).rejects.toMatchObject({ code: 'unavailable', status: 503 });
});

test('an object longer than one piece is read whole, and from any offset', { tags: 'slow' }, async () => {
  const key = newKey();
  const [id, rest] = [await blobs.begin(key, 'job'), 'the rest'];
  const piece = new Uint8Array(copyPartBytes).fill(97);
  const tags = [
    await blobs.putPart({ key, id }, 1, new Response(piece).body ?? streamOf('')),
    await blobs.putPart({ key, id }, 2, streamOf(rest)),
  ];
  await blobs.complete({ key, id }, 'job', tags);
  const body = await blobs.read(key, { first: 3, last: copyPartBytes + rest.length - 1 });
  let [size, end] = [0, ''];
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    end = (end + new TextDecoder().decode(chunk.slice(-8))).slice(-8);
  }
  expect([size, end]).toEqual([copyPartBytes + rest.length - 3, rest]);
});

test('the probe finds no trouble with a bucket that works, and leaves nothing in it', async () => {
  expect(await blobs.trouble(true)).toBeNull();
  expect((await env.BLOBS.list({ prefix: 'probe/' })).objects).toEqual([]);
});

test.each(['put', 'get', 'delete'] as const)('the probe that fails at %s reports why', async (call) => {
  expect(await failing(call).trouble()).toMatch(/internal error/);
});

test('the probe is remembered for a minute, unless a fresh probe is requested', async () => {
  let [now, writes, isDown] = [0, 0, true];
  const bucket = failingBucket((call) => {
    if (call === 'put') writes += 1;
    return isDown;
  });
  const look = (isFresh?: boolean) => createBlobs({ r2: bucket, now: () => now }).trouble(isFresh);
  await look();
  isDown = false;
  expect([await look(), writes]).toEqual([expect.any(String), 1]);
  expect([await look(true), writes]).toEqual([null, 2]);
  now = 59_999;
  expect([await look(), writes]).toEqual([null, 2]);
  now = 60_000;
  expect([await look(), writes]).toEqual([null, 3]);
});

test('objects below a prefix are removed, and nothing else', async () => {
  const [mine, other] = [newKey(), newKey()];
  await Promise.all([mine, other].map((key) => env.BLOBS.put(key, 'x')));
  expect(await blobs.removeBelow(mine.replace(/bak$/, ''))).toBe(1);
  expect([await blobs.size(mine), await blobs.size(other)]).toEqual([null, 1]);
});
