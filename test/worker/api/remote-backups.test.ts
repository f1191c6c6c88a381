/** Backups in the bucket over the API: begun, downloaded, deleted and swept, also while bucket or host are away. */
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { claimBackup } from '../../../worker/store/backup-removal-store.ts';
import { backups } from '../../../worker/store/schema/backups.ts';
import { removalMs } from '../../../worker/usecases/backups/delete-backup.ts';
import { sweepCopies } from '../../../worker/usecases/backups/sweep-copies.ts';
import { deps } from '../../support/worker/api.ts';
import {
  bytes,
  call,
  clientWithBucket,
  clientWithSlowRemoval,
  remoteDatabase,
} from '../../support/worker/remote-backup.ts';

const dayMs = 24 * 3_600_000;
const exists = async (key: string) => (await env.BLOBS.head(key)) !== null;
const broken = () => clientWithBucket(() => true);

describe('a bucket that takes nothing', () => {
  test('a bucket that takes nothing is told in the list; a backup into it is 409 with the reason and a way out, one for the disk is taken', async () => {
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
});

describe('a download', () => {
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
});

describe('a deletion', () => {
  test('a deletion removes both copies', async () => {
    const { taken, send, runner } = await remoteDatabase();
    const { id, remoteKey } = await taken('disk+remote');
    const removing = send('DELETE', `/${id}`);
    const task = await runner.next('task');
    runner.send({ v: 1, type: 'task-done', id: task.id, proxy: { ok: true, detail: 'gone' } });
    expect([(await removing).body, await exists(remoteKey)]).toEqual([{ ok: true }, false]);
  });

  test('a deletion says that the copy on a host that is away goes later', async () => {
    const { taken, send, runner, listed } = await remoteDatabase();
    const { id, remoteKey } = await taken('disk+remote');
    await runner.disconnect();
    await expect.poll(async () => (await send('GET', `/${id}/download`)).status).toBe(200);
    const { status, body } = await send('DELETE', `/${id}`);
    expect([status, body]).toEqual([
      200,
      { ok: true, detail: expect.stringMatching(/^The copy on the host will be deleted as soon as/) },
    ]);
    expect([await exists(remoteKey), await listed(id)]).toEqual([false, undefined]);
  });

  test('a deletion that the bucket refuses is 503 and leaves the backup whole, to be deleted again', async () => {
    const { taken, send, listed } = await remoteDatabase();
    const { id, remoteKey } = await taken('remote');
    expect(await send('DELETE', `/${id}`, undefined, broken())).toMatchObject({
      status: 503,
      body: { code: 'unavailable', error: expect.stringMatching(/copy in the bucket could not be deleted/) },
    });
    expect([(await listed(id)).status, await exists(remoteKey)]).toEqual(['succeeded', true]);
    expect((await send('POST', `/${id}/prove`)).status).toBe(200);
  });

  test('a running deletion keeps restores, drills and other deletions off the backup: they are 409 with the reason', async () => {
    const { taken, send, runner, listed } = await remoteDatabase();
    const { id, remoteKey } = await taken('remote');
    await runner.disconnect();
    const { client, isReached, open } = clientWithSlowRemoval();
    const removing = send('DELETE', `/${id}`, undefined, client);
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
    expect((await removing).body).toEqual({ ok: true });
    expect([await listed(id), await exists(remoteKey)]).toEqual([undefined, false]);
  });

  test('a deletion that is refused because the backup is being tested removes nothing', async () => {
    const { taken, send, runner, listed } = await remoteDatabase();
    const { id, remoteKey } = await taken('remote');
    await runner.disconnect();
    const [proof, removal] = await Promise.all([send('POST', `/${id}/prove`), send('DELETE', `/${id}`)]);
    const [isProven, isRemoved] = [proof.status === 200, removal.status === 200];
    expect([isProven, isRemoved].filter(Boolean), 'one of the two').toHaveLength(1);
    expect([await exists(remoteKey), (await listed(id)) !== undefined]).toEqual([isProven, isProven]);
    if (isRemoved) return;
    expect([removal.status, removal.body.code]).toEqual([409, 'conflict']);
  });

  test('a deletion that died blocks others for five minutes, and is completed by the next one', async () => {
    const { taken, send, runner } = await remoteDatabase();
    const { id, remoteKey } = await taken('remote');
    await runner.disconnect();
    await claimBackup(deps.db, { backupId: id, until: deps.now() + removalMs }, deps.now());
    expect((await send('DELETE', `/${id}`)).status).toBe(409);
    await deps.db.update(backups).set({ removingUntil: deps.now() }).where(eq(backups.id, id));
    expect((await send('DELETE', `/${id}`)).status).toBe(200);
    expect(await exists(remoteKey)).toBe(false);
  });
});

describe('the sweep', () => {
  test('the sweep removes the copies of backups that failed, and no others', async () => {
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

  test('the sweep removes the copies of a deleted database a day later, with its data', async () => {
    const [deleted, other] = [await remoteDatabase(), await remoteDatabase()];
    const [gone, kept] = [await deleted.taken('remote'), await other.taken('remote')];
    await deleted.runner.disconnect();
    await call('DELETE', `/api/services/${deleted.service.id}`, { token: deleted.token });
    await sweepCopies(deps);
    expect(await exists(gone.remoteKey)).toBe(true);
    await sweepCopies({ ...deps, now: () => deps.now() + dayMs + 1 });
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
});
