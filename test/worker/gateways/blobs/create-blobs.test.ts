/** Which bucket it is: asked for as late and as seldom as can be. */
import { expect, inject, test } from 'vitest';
import { ApiError } from '../../../../worker/domain/errors.ts';
import { createBlobs } from '../../../../worker/gateways/blobs/create-blobs.ts';
import type {} from '../../../support/servers/s3-provided.ts';
import { failingBucket } from '../../../support/worker/failing-bucket.ts';

const { logUrl: _, ...address } = inject('s3');
const bucket = { ...address, region: 'us-east-1', prefix: 'chosen/', pathStyle: true };

function counted(of: () => Promise<typeof bucket | null>) {
  const clock = { now: 0, asked: 0 };
  const setBucket = () => {
    clock.asked += 1;
    return of();
  };
  // A binding of its own: what is remembered is remembered by binding.
  const r2 = failingBucket(() => false);
  return { clock, blobs: createBlobs({ r2, setBucket, now: () => clock.now }) };
}

test('a bucket that just failed is probed again, although an earlier probe found no trouble', async () => {
  let isDown = false;
  const blobs = createBlobs({ r2: failingBucket(() => isDown), now: () => 0 });
  expect(await blobs.trouble()).toBeNull();
  isDown = true;
  expect(await blobs.trouble()).toBeNull();
  await expect(blobs.size('backups/svc_x/bak')).rejects.toMatchObject({ code: 'unavailable' });
  expect(await blobs.trouble()).toMatch(/internal error/);
});

test('the setting is not read by making the gateway, once by what happens within a second, and again after it', async () => {
  const { clock, blobs } = counted(async () => bucket);
  expect(clock.asked).toBe(0);
  await Promise.all([blobs.size('backups/none'), blobs.removeBelow('backups/none/')]);
  await blobs.size('backups/none');
  expect(clock.asked).toBe(1);
  clock.now = 1_000;
  await blobs.size('backups/none');
  expect(clock.asked).toBe(2);
});

test('the setting is not read for a probe that is remembered', async () => {
  const { clock, blobs } = counted(async () => bucket);
  expect([await blobs.trouble(), clock.asked]).toEqual([null, 1]);
  clock.now = 59_999;
  expect([await blobs.trouble(), clock.asked]).toEqual([null, 1]);
  expect([await blobs.trouble(true), clock.asked]).toEqual([null, 2]);
});

test('the setting that cannot be used is trouble with the bucket, and nothing goes to R2 for it', async () => {
  const { blobs } = counted(() => Promise.reject(new ApiError('conflict', 'It does not open.')));
  expect(await blobs.trouble()).toBe('It does not open.');
  await expect(blobs.begin('backups/svc_x/bak', 'job')).rejects.toThrow('It does not open.');
});

test('the setting that could not be read is no trouble with the bucket, and not remembered as one', async () => {
  let isDown = true;
  const { clock, blobs } = counted(async () => {
    if (isDown) throw new Error('D1 is away');
    return bucket;
  });
  await expect(blobs.trouble()).rejects.toThrow('D1 is away');
  isDown = false;
  clock.now = 1_000;
  expect(await blobs.trouble()).toBeNull();
});

test('objects are in the bucket when one is set, and in R2 otherwise', async () => {
  const key = 'backups/svc_which/bak';
  const body = () => new Response('x').body as ReadableStream;
  const [set, unset] = [counted(async () => bucket).blobs, counted(async () => null).blobs];
  for (const [one, other] of [
    [set, unset],
    [unset, set],
  ] as const) {
    const upload = { key, id: await one.begin(key, 'job') };
    await one.complete(upload, 'job', [await one.putPart(upload, 1, body())]);
    expect([await one.size(key), await other.size(key)]).toEqual([1, null]);
    await one.remove([key]);
  }
});
