/**
 * Copies in the bucket as hosts write and read them: each with the token of its own job, and while that is at work.
 * @module-tag slow
 */
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { copyPartBytes } from '../../../../protocol/backup-copy.ts';
import {
  bytes,
  call,
  clientWithBucket,
  copyCalls,
  remoteDatabase,
} from '../../../support/worker/remote-backup.ts';

const over = { type: 'result', result: { outcome: 'aborted', facts: {} } } as const;

async function uploading(storage = 'remote', client = call) {
  const bench = await remoteDatabase();
  const { backup, start, transferToken } = await bench.begun(storage);
  return {
    ...bench,
    start,
    transferToken,
    key: `backups/${bench.service.id}/${backup.id}`,
    copy: copyCalls(start.job, transferToken, client),
  };
}

test('a host uploads in parts with its sealed token, and reads what it wrote by range', async () => {
  const { copy, key } = await uploading('disk+remote');
  const { upload } = (await copy.begin()).body;
  const { etag } = (await copy.part(upload, '1', bytes)).body;
  expect(await env.BLOBS.head(key)).toBeNull();
  expect((await copy.complete(upload, [etag])).body).toEqual({ ok: true });
  expect([(await copy.read()).status, (await copy.read()).text]).toEqual([200, bytes]);
  const part = await copy.read('bytes=4-8');
  expect([part.status, part.text, part.headers.get('content-range')]).toEqual([
    206,
    'bytes',
    `bytes 4-8/${bytes.length}`,
  ]);
  expect((await copy.read(`bytes=${bytes.length}-`)).status).toBe(416);
});

test('the token of another job, none at all, and a job that is not there are one and the same 401', async () => {
  const { start } = await uploading();
  const other = await uploading();
  const guesses = [
    copyCalls(start.job, other.transferToken),
    copyCalls(start.job, ''),
    copyCalls('job_0000000000000000', other.transferToken),
  ];
  for (const guess of guesses) {
    const replies = [
      await guess.begin(),
      await guess.part('x', '1', 'x'),
      await guess.complete('x', ['x']),
      await guess.discard('x'),
      await guess.read(),
    ];
    expect(replies.map(({ status, body }) => [status, body.code])).toEqual(
      replies.map(() => [401, 'unauthenticated']),
    );
  }
});

test('a finished job moves nothing more; its upload may still be removed, its object not', async () => {
  const { copy, key, runner, start } = await uploading();
  const [first, second] = [(await copy.begin()).body.upload, (await copy.begin()).body.upload];
  const { etag } = (await copy.part(first, '1', bytes)).body;
  await copy.complete(first, [etag]);
  await runner.report(start, over);
  const refused = [await copy.begin(), await copy.part(second, '1', 'x'), await copy.complete(second, ['x'])];
  expect([...refused, await copy.read()].map(({ status }) => status)).toEqual([409, 409, 409, 409]);
  expect((await copy.discard(second)).body).toEqual({ ok: true });
  expect(await env.BLOBS.head(key)).not.toBeNull();
  await expect(env.BLOBS.resumeMultipartUpload(key, second).uploadPart(1, 'x')).rejects.toThrow();
});

test('a running job can remove its upload and its object', async () => {
  const { copy, key } = await uploading();
  const { upload } = (await copy.begin()).body;
  const { etag } = (await copy.part(upload, '1', bytes)).body;
  await copy.complete(upload, [etag]);
  expect((await copy.discard(upload)).body).toEqual({ ok: true });
  expect(await env.BLOBS.head(key)).toBeNull();
  expect(await copy.read()).toMatchObject({ status: 409, body: { code: 'conflict' } });
});

test.each([
  ['that is larger than a part may be', '1', { 'content-length': String(copyPartBytes + 1) }, 413],
  ['without a length', '1', { 'content-length': '' }, 400],
  ['with the number 0', '0', {}, 400],
  ['with a number above the last', '3001', {}, 400],
])('a part with %s is refused', async (_, part, headers, status) => {
  const { copy } = await uploading();
  const { upload } = (await copy.begin()).body;
  expect((await copy.part(upload, part, 'x', headers)).status).toBe(status);
});

test('a part of a removed upload is 409: not worth another try', async () => {
  const { copy } = await uploading();
  const { upload } = (await copy.begin()).body;
  await copy.discard(upload);
  expect(await copy.part(upload, '1', 'x')).toMatchObject({ status: 409, body: { code: 'conflict' } });
});

test.each(['part 2', 'complete', 'createMultipartUpload'] as const)(
  'a bucket that fails at %s is 503, and the same request succeeds once it works',
  async (failing) => {
    let isDown = true;
    const client = clientWithBucket((step) => isDown && step === failing);
    const { copy, key } = await uploading('remote', client);
    const again = async (ask: () => ReturnType<typeof copy.begin>) => {
      const reply = await ask();
      if (reply.status !== 503) return reply;
      isDown = false;
      return ask();
    };
    const { upload } = (await again(copy.begin)).body;
    const large = 'x'.repeat(5 * 1024 * 1024);
    const etags = [
      (await copy.part(upload, '1', large)).body.etag,
      (await again(() => copy.part(upload, '2', bytes))).body.etag,
    ];
    expect((await again(() => copy.complete(upload, etags))).body).toEqual({ ok: true });
    expect([isDown, (await env.BLOBS.head(key))?.size]).toEqual([false, large.length + bytes.length]);
  },
);

test('a backup for the disk has no copy to write; a restore reads the copy of its backup, and writes none', async () => {
  const disk = await uploading('disk');
  expect(await disk.copy.begin()).toMatchObject({ status: 400, body: { code: 'unsupported' } });
  const { taken, send, runner } = await remoteDatabase();
  const { id } = await taken('remote');
  const restoring = send('POST', `/${id}/restore`);
  const start = await runner.next('start');
  const copy = copyCalls(start.job, (await runner.openBox(start)).transferToken ?? '');
  expect((await copy.read()).text).toBe(bytes);
  expect(await copy.begin()).toMatchObject({ status: 400, body: { code: 'unsupported' } });
  await copy.discard('x');
  expect((await copy.read()).text).toBe(bytes);
  await runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts: {} } });
  expect((await restoring).status).toBe(200);
});
