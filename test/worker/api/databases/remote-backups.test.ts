/** Backups in the bucket over the API: begun, downloaded, deleted and swept, also while bucket or host are away. */
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { createBlobs } from '../../../../worker/gateways/blobs/create-blobs.ts';
import { claimBackup } from '../../../../worker/store/backups/backup-removal-store.ts';
import { backups } from '../../../../worker/store/schema/backups.ts';
import { removalMs } from '../../../../worker/usecases/backups/delete-backup.ts';
import { sweepCopies } from '../../../../worker/usecases/backups/sweep-backups.ts';
import { sweepDeletions } from '../../../../worker/usecases/deletions/purge-deletions.ts';
import { deps } from '../../../support/worker/api.ts';
import { failingBucket } from '../../../support/worker/failing-bucket.ts';
import {
  bytes,
  call,
  clientWithBucket,
  expire,
  remoteDatabase,
  slowRemoval,
} from '../../../support/worker/remote-backup.ts';

const dayMs = 24 * 3_600_000;
const exists = async (key: string) => (await env.BLOBS.head(key)) !== null;
const broken = () => clientWithBucket(() => true);

test('the list reports a bucket that accepts nothing; a backup into it is 409 with the reason and a way out, one for the disk is taken', async () => {
  const { send } = await remoteDatabase();
  const client = broken();
  expect((await send('GET', '', undefined, client)).body.remote).toEqual({ connected: false });
  for (const storage of ['remote', 'disk+remote']) {
    expect(await send('POST', '', { storage }, client)).toMatchObject({
      status: 409,
      body: { code: 'conflict', error: expect.stringMatching(/storage: .*internal error.*Choose "disk"/) },
    });
  }
  expect((await send('GET')).body.backups).toEqual([]);
  expect((await send('POST', '', { storage: 'disk' }, client)).status).toBe(200);
});

test('a bucket that takes nothing is retried as soon as a backup is requested', async () => {
  const { send } = await remoteDatabase();
  let isDown = true;
  const client = clientWithBucket(() => isDown);
  await send('GET', '', undefined, client);
  isDown = false;
  expect((await send('POST', '', { storage: 'remote' }, client)).status).toBe(200);
});

test('a download comes from the bucket where no copy is on a host, whole and by range', async () => {
  const { taken, send } = await remoteDatabase();
  const { id, checksum } = await taken('remote');
  const whole = await send('GET', `/${id}/download`);
  expect([whole.status, whole.text, whole.headers.get('etag')]).toEqual([200, bytes, `"${checksum}"`]);
  expect(whole.headers.get('content-length')).toBe(String(bytes.length));
  const part = await send('GET', `/${id}/download`, undefined, call, { range: 'bytes=-6' });
  expect([part.status, part.text]).toEqual([206, 'backup']);
});

test('a download comes from the bucket when the host is away, or has no file any more', async () => {
  const { taken, send, runner } = await remoteDatabase();
  const { id } = await taken('disk+remote');
  const asked = send('GET', `/${id}/download`);
  const request = await runner.next('request');
  const outcome = { ok: false, code: 'failed', message: 'No file.' } as const;
  runner.send({ v: 1, type: 'response', id: request.id, outcome });
  expect((await asked).text).toBe(bytes);
  await runner.disconnect();
  await expect.poll(async () => (await send('GET', `/${id}/download`)).text).toBe(bytes);
});

test('a download of a copy that somebody has removed is 409', async () => {
  const { taken, send } = await remoteDatabase();
  const { id, remoteKey } = await taken('remote');
  await env.BLOBS.delete(remoteKey);
  expect(await send('GET', `/${id}/download`)).toMatchObject({
    status: 409,
    body: { error: expect.stringMatching(/no longer in the bucket/) },
  });
});

test('a removal removes both copies', async () => {
  const database = await remoteDatabase();
  const { taken, runner } = database;
  const { id, remoteKey } = await taken('disk+remote');
  const removing = expire(database, id);
  const task = await runner.next('task');
  runner.send({ v: 1, type: 'task-done', id: task.id, proxy: { ok: true, detail: 'gone' } });
  expect([await removing, await exists(remoteKey)]).toEqual([null, false]);
});

test('a removal reports that the copy on a host that is away is removed later', async () => {
  const database = await remoteDatabase();
  const { taken, send, runner, listed } = database;
  const { id, remoteKey } = await taken('disk+remote');
  await runner.disconnect();
  await expect.poll(async () => (await send('GET', `/${id}/download`)).status).toBe(200);
  expect(await expire(database, id)).toMatch(/^The copy on the host will be deleted as soon as/);
  expect([await exists(remoteKey), await listed(id)]).toEqual([false, undefined]);
});

test('a removal that the bucket refuses is 503 and leaves the backup whole, to be removed again', async () => {
  const database = await remoteDatabase();
  const { taken, send, listed } = database;
  const { id, remoteKey } = await taken('remote');
  const blobs = createBlobs({ r2: failingBucket(() => true) });
  await expect(expire(database, id, blobs)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/copy in the bucket could not be deleted/),
  });
  expect([(await listed(id)).status, await exists(remoteKey)]).toEqual(['succeeded', true]);
  expect((await send('POST', `/${id}/prove`)).status).toBe(200);
});

test('a running removal keeps restores, drills and deletions off the backup: they are 409 with the reason', async () => {
  const database = await remoteDatabase();
  const { taken, send, runner, listed } = database;
  const { id, remoteKey } = await taken('remote');
  await runner.disconnect();
  const { blobs, isReached, open } = slowRemoval();
  const removing = expire(database, id, blobs);
  await isReached;
  const others = [
    await send('POST', `/${id}/restore`),
    await send('POST', `/${id}/prove`),
    await send('DELETE', `/${id}`),
  ];
  for (const { status, body } of others)
    expect([status, body.code, body.error]).toEqual([
      409,
      'conflict',
      expect.stringMatching(/being .*deleted/),
    ]);
  expect(await exists(remoteKey)).toBe(true);
  open();
  await removing;
  expect([await listed(id), await exists(remoteKey)]).toEqual([undefined, false]);
});

test('a removal that is refused because the backup is being tested removes nothing', {
  tags: 'slow',
}, async () => {
  const database = await remoteDatabase();
  const { taken, send, runner, listed } = database;
  const { id, remoteKey } = await taken('remote');
  await runner.disconnect();
  const refusal = expire(database, id).then(
    () => undefined,
    (error: unknown) => error,
  );
  const [proof, refused] = await Promise.all([send('POST', `/${id}/prove`), refusal]);
  const [isAccepted, isRemoved] = [proof.status === 200, refused === undefined];
  expect([isAccepted, isRemoved].filter(Boolean), 'one of the two').toHaveLength(1);
  expect([await exists(remoteKey), (await listed(id)) !== undefined]).toEqual([isAccepted, isAccepted]);
  if (isRemoved) return;
  expect(refused).toMatchObject({ status: 409, code: 'conflict' });
});

test('a removal that died blocks others for five minutes, and is completed by the next one', async () => {
  const database = await remoteDatabase();
  const { taken, send, runner } = database;
  const { id, remoteKey } = await taken('remote');
  await runner.disconnect();
  await claimBackup(deps.db, { backupId: id, until: deps.now() + removalMs }, deps.now());
  expect((await send('DELETE', `/${id}`)).status).toBe(409);
  await deps.db.update(backups).set({ removingUntil: deps.now() }).where(eq(backups.id, id));
  await expire(database, id);
  expect(await exists(remoteKey)).toBe(false);
});

test('the sweep removes the copies of backups that failed, and no others', { tags: 'slow' }, async () => {
  const { taken, begun, service } = await remoteDatabase();
  const kept = await taken('remote');
  const failed = await taken('remote');
  const running = `backups/${service.id}/${(await begun('remote')).backup.id}`;
  await env.BLOBS.put(running, bytes);
  await deps.db
    .update(backups)
    .set({ status: 'failed', finishedAt: deps.now() })
    .where(eq(backups.id, failed.id));
  await sweepCopies(deps);
  const there = await Promise.all([kept.remoteKey, failed.remoteKey, running].map(exists));
  expect(there).toEqual([true, false, true]);
});

test('the sweep removes the copies of a deleted database when it can no longer be restored, with its data', {
  tags: 'slow',
}, async () => {
  const [deleted, other] = [await remoteDatabase(), await remoteDatabase()];
  const [gone, kept] = [await deleted.taken('remote'), await other.taken('remote')];
  await deleted.runner.disconnect();
  await call('DELETE', `/api/services/${deleted.service.id}`, { token: deleted.token });
  await sweepCopies(deps);
  expect(await exists(gone.remoteKey)).toBe(true);
  const later = { ...deps, now: () => deps.now() + 3 * dayMs + 1 };
  await sweepDeletions(later);
  await sweepCopies(later);
  expect([await exists(gone.remoteKey), await exists(kept.remoteKey)]).toEqual([false, true]);
});

test('the sweep continues after a bucket failed, and the next one removes what is left', async () => {
  const { taken } = await remoteDatabase();
  const { id, remoteKey } = await taken('remote');
  const failedAt = { status: 'failed', finishedAt: deps.now() } as const;
  await deps.db.update(backups).set(failedAt).where(eq(backups.id, id));
  const blobs = { ...deps.blobs, remove: () => Promise.reject(new Error('down')) };
  await expect(sweepCopies({ ...deps, blobs })).rejects.toThrow('down');
  await sweepCopies(deps);
  expect(await exists(remoteKey)).toBe(false);
});
