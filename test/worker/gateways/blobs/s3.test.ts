/** An S3-compatible bucket as the control plane uses it: a server that checks signatures, and the same one failing. */
import { expect, inject, test } from 'vitest';
import type { BucketAccess } from '../../../../worker/domain/backups/backup-bucket.ts';
import { readPieces } from '../../../../worker/gateways/blobs/read-pieces.ts';
import { createS3Store } from '../../../../worker/gateways/blobs/s3.ts';
import { S3Requests } from '../../../../worker/gateways/blobs/s3-requests.ts';
import { tryBucket } from '../../../../worker/gateways/blobs/s3-trouble.ts';
import type {} from '../../../support/servers/s3-provided.ts';

const { endpoint, bucket, accessKeyId, secretAccessKey, logUrl } = inject('s3');
const working: BucketAccess = {
  endpoint,
  region: 'eu-central-1',
  bucket,
  accessKeyId,
  secretAccessKey,
  prefix: 'instance-a/',
  pathStyle: true,
};
const blobs = createS3Store(working);
const faulty = (fault: string) => createS3Store({ ...working, prefix: `${fault}/` });

let keys = 0;
const newKey = () => `backups/svc_s3${++keys}/bak`;
const text = async (body: ReadableStream | null) => (body === null ? null : await new Response(body).text());
const streamOf = (bytes: BodyInit): ReadableStream => {
  const { body } = new Response(bytes);
  if (!body) throw new Error('no body');
  return body;
};
const requests = async (): Promise<string[]> => (await fetch(logUrl)).json();

const firstPart = 'a'.repeat(5 * 1024 * 1024);

async function uploaded(key: string, { store = blobs, owner = 'job' } = {}) {
  const upload = { key, id: await store.begin(key, owner) };
  const tags = [
    await store.putPart(upload, 1, streamOf(firstPart)),
    await store.putPart(upload, 2, streamOf('end')),
  ];
  return { upload, tags };
}

async function stored(key: string, store = blobs): Promise<void> {
  const { upload, tags } = await uploaded(key, { store });
  await store.complete(upload, 'job', tags);
}

test('an upload is an object once it is complete, and none before; any range of it is read', async () => {
  const key = newKey();
  const { upload, tags } = await uploaded(key);
  expect([await blobs.size(key), await blobs.read(key, { first: 0, last: 1 })]).toEqual([null, null]);
  await blobs.complete(upload, 'job', tags);
  expect(await blobs.size(key)).toBe(firstPart.length + 3);
  const [edge, whole] = [
    { first: firstPart.length - 1, last: firstPart.length + 1 },
    { first: 0, last: firstPart.length + 2 },
  ];
  expect(await text(await blobs.read(key, edge))).toBe('aen');
  expect((await text(await blobs.read(key, whole))) === `${firstPart}end`).toBe(true);
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

test('an upload is not made of parts that did not come', async () => {
  const { upload, tags } = await uploaded(newKey());
  const [first = '', second = ''] = tags;
  for (const wrong of [[second, first], [...tags, first], ['"<&>"']]) {
    await expect(blobs.complete(upload, 'job', wrong)).rejects.toMatchObject({ code: 'conflict' });
  }
  await blobs.complete(upload, 'job', tags);
});

test('an upload whose completion answer was lost is complete, also when requested again, for its owner alone', {
  tags: 'slow',
}, async () => {
  const store = faulty('dies-after-completion');
  const key = newKey();
  const { upload, tags } = await uploaded(key, { store });
  await store.complete(upload, 'job', tags);
  await store.complete(upload, 'job', tags);
  // Of the other one it is not known whether an answer came: it may try again, and is never told that it is done.
  await expect(store.complete(upload, 'other', tags)).rejects.toMatchObject({ code: 'unavailable' });
  expect(await store.size(key)).toBe(firstPart.length + 3);
  const second = await uploaded(newKey());
  await blobs.complete(second.upload, 'job', second.tags);
  await blobs.complete(second.upload, 'job', second.tags);
  await expect(blobs.complete(second.upload, 'other', second.tags)).rejects.toMatchObject({
    code: 'conflict',
  });
});

test('an upload whose completion fails behind status 200 is not complete', async () => {
  const store = faulty('fails-in-200');
  const { upload, tags } = await uploaded(newKey(), { store });
  await expect(store.complete(upload, 'job', tags)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('InternalError'),
  });
});

test('an upload of which the server dies in the middle of a part is unavailable, and the part may come again', async () => {
  const store = faulty('dies-in-part');
  const key = newKey();
  const upload = { key, id: await store.begin(key, 'job') };
  await expect(store.putPart(upload, 1, streamOf(firstPart))).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/^The control plane's bucket failed: .*connection was lost/),
  });
  const tag = await store.putPart(upload, 1, streamOf('short enough'));
  await store.complete(upload, 'job', [tag]);
  expect(await text(await store.read(key, { first: 0, last: 11 }))).toBe('short enough');
});

test('an upload that nobody completed is removed by age, below the prefix alone', async () => {
  const [old, other] = [newKey(), `other/${newKey()}`];
  const uploads = await Promise.all(
    [old, other].map(async (key) => ({ key, id: await blobs.begin(key, 'job') })),
  );
  const hourMs = 3_600_000;
  expect(await blobs.abortStaleUploads('backups/svc_', Date.now() - hourMs)).toBe(0);
  expect(await blobs.abortStaleUploads('backups/svc_', Date.now() + hourMs)).toBeGreaterThan(0);
  const [gone, kept] = uploads.map((upload) => blobs.putPart(upload, 1, streamOf('x')));
  await expect(gone).rejects.toMatchObject({ code: 'conflict' });
  expect(await kept).toBeTruthy();
});

test('an object longer than one piece is read whole, and from any offset', { tags: 'slow' }, async () => {
  const key = newKey();
  await stored(key);
  const [mib, end] = [1024 * 1024, firstPart.length + 2];
  const piece = (offset: number, length: number) =>
    blobs.read(key, { first: offset, last: offset + length - 1 });
  const read = async (first: number) => text(await readPieces(key, { first, last: end }, piece, mib));
  expect((await read(0)) === `${firstPart}end`).toBe(true);
  expect((await read(mib + 1)) === `${firstPart}end`.slice(mib + 1)).toBe(true);
  const ranges = (await requests()).filter((line) => line.startsWith('GET 206') && line.includes(key));
  expect(ranges).toHaveLength(6 + 5);
});

test('a read that breaks off is an error to its reader, not a shorter object', { tags: 'slow' }, async () => {
  const store = faulty('dies-in-read');
  const key = newKey();
  await stored(key, store);
  const read = async () => text(await store.read(key, { first: 0, last: firstPart.length + 2 }));
  await expect(read()).rejects.toThrow();
});

test('removal takes one object or many at once, and a missing one is not an error', {
  tags: 'slow',
}, async () => {
  const [one, two, three] = [newKey(), newKey(), newKey()];
  await Promise.all([one, two, three].map((key) => stored(key)));
  await blobs.remove([one]);
  await blobs.remove([one]);
  await blobs.remove([one, two, 'backups/svc_none/bak']);
  expect(await Promise.all([one, two, three].map(blobs.size))).toEqual([null, null, firstPart.length + 3]);
  await blobs.remove([]);
});

test('removal below a prefix takes only what is there; instances that share a bucket do not interfere', {
  tags: 'slow',
}, async () => {
  const neighbour = createS3Store({ ...working, prefix: 'instance-b/' });
  const [mine, other] = [newKey(), newKey()];
  await Promise.all([stored(mine), stored(other), stored(mine, neighbour)]);
  expect(await blobs.removeBelow(mine.replace(/bak$/, ''))).toBe(1);
  expect(await Promise.all([blobs.size(mine), blobs.size(other), neighbour.size(mine)])).toEqual([
    null,
    firstPart.length + 3,
    firstPart.length + 3,
  ]);
  expect(await blobs.removeBelow(mine)).toBe(0);
});

test('the probe finds no trouble with a bucket that works, and leaves nothing in it', async () => {
  const alone = createS3Store({ ...working, prefix: 'probed/' });
  expect(await alone.probe()).toBeNull();
  expect(await alone.removeBelow('')).toBe(0);
});

test.each<[string, Partial<BucketAccess>, string, RegExp]>([
  [
    'a wrong secret key',
    { secretAccessKey: 'wrong' },
    'secretAccessKey',
    /does not belong .*SignatureDoesNotM/,
  ],
  ['an unknown access key', { accessKeyId: 'nobody' }, 'accessKeyId', /access key does not exist/],
  ['no such bucket', { bucket: 'no-such-bucket' }, 'bucket', /the bucket does not exist/],
  ['a port where nobody is', { endpoint: 'http://127.0.0.1:9' }, 'endpoint', /can't be reached/],
  ['a server that is none of S3', { prefix: 'not-s3/' }, 'endpoint', /status 502, but not like S3/],
  ['a key that only reads', { prefix: 'read-only/' }, 'accessKeyId', /not allowed to write objects there/],
  ['a bucket that is elsewhere', { prefix: 'leads-elsewhere/' }, 'region', /another region/],
])('the probe names the field for %s, with the reason and without a secret', (_, wrong, field, why) =>
  refuses(wrong, field, why),
);

test('the probe names the field for a server that does not answer', { tags: 'slow' }, () =>
  refuses({ prefix: 'silent/' }, 'endpoint', /did not answer within 5 s/),
);

async function refuses(wrong: object, field: string, why: RegExp): Promise<void> {
  const trouble = await tryBucket({ ...working, ...wrong });
  expect(trouble).toEqual({ field, why: expect.stringMatching(why) });
  expect(trouble?.why).not.toMatch(/key-of|canary|wrong|nobody/);
}

test('the probe follows no redirect', async () => {
  await tryBucket({ ...working, prefix: 'leads-elsewhere/followed/' });
  const followed = (await requests()).filter((line) => line.includes(`/${bucket}/followed/`));
  expect(followed).toEqual([]);
});

test('a bucket in front of the host name is addressed there', async () => {
  const asked: string[] = [];
  const access = { ...working, endpoint: 'https://s3.example.com', pathStyle: false };
  const requests = new S3Requests(access, async ({ method, url, redirect }) => {
    asked.push(`${method} ${url} ${redirect}`);
    return new Response('');
  });
  await requests.text({ method: 'DELETE', key: 'instance-a/backups/svc/bak', query: { uploadId: 'a b&c' } });
  await requests.text({ method: 'GET' });
  expect(asked).toEqual([
    'DELETE https://longshore-test.s3.example.com/instance-a/backups/svc/bak?uploadId=a+b%26c manual',
    'GET https://longshore-test.s3.example.com/ manual',
  ]);
});
