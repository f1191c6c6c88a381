/** What is stored of ended logs: bytes for each tenant, and the archive in the bucket. */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { newestWithLogs } from '../../../worker/domain/logs/log-retention.ts';
import { createBlobs } from '../../../worker/gateways/blobs/create-blobs.ts';
import { logStreamOf } from '../../../worker/gateways/log-streams.ts';
import type { LogStream } from '../../../worker/objects/log-stream.ts';
import { upsertSettings } from '../../../worker/store/instance/settings-store.ts';
import { logPurges } from '../../../worker/store/schema/logs.ts';
import { archiveKey, sweepLogArchive } from '../../../worker/usecases/logs/log-archive.ts';
import { purgeLogs } from '../../../worker/usecases/logs/purge-logs.ts';
import { createClient, deps, insertKey, insertTenant, operatorToken } from '../../support/worker/api.ts';
import { insertDeploymentOf, insertHostedService } from '../../support/worker/deployment-rows.ts';
import { failingBucket } from '../../support/worker/failing-bucket.ts';
import { linesFrom } from '../../support/worker/log-lines.ts';
import { LogReader, logs } from '../../support/worker/log-reader.ts';

const dayMs = 24 * 3_600_000;
const call = createClient();
const objectOf = (id: string) => logStreamOf(env.LOG_STREAM, id) as DurableObjectStub<LogStream>;
const archive = (days: number | null) => upsertSettings(deps.db, { logArchiveDays: days }, Date.now());

async function usedBy(tenantId: string): Promise<number> {
  const { body } = await call('GET', '/api/system/tenants', { token: operatorToken });
  return body.tenants.find(({ id }: { id: string }) => id === tenantId).usage.logBytes;
}

const sizeOf = (id: string) => runInDurableObject(objectOf(id), (_, { storage }) => storage.sql.databaseSize);

/** Runs the log's alarm, as if it was due at this time, with this bucket. @returns whether it is due again */
const check = (id: string, now: number, bucket = env.BLOBS) =>
  runInDurableObject(objectOf(id), async (log, state) => {
    Object.assign(log, { deps: () => ({ ...deps, blobs: createBlobs({ r2: bucket }), now: () => now }) });
    await state.storage.deleteAlarm();
    await log.alarm();
    return (await state.storage.getAlarm()) !== null;
  });

/** The oldest deployment of a service, which ended 40 days ago, with a log of as many lines; newer ones push it out. */
async function oldDeployment(lines: number) {
  const tenantId = await insertTenant(`logs ${crypto.randomUUID()}`);
  const { service, project } = await insertHostedService();
  await env.DB.prepare('update projects set tenant_id = ? where id = ?').bind(tenantId, project.id).run();
  const ids: string[] = [];
  const now = Date.now();
  for (let index = 0; index <= newestWithLogs; index++) {
    const at = now - 40 * dayMs + index * 60_000;
    const row = { status: 'failed' as const, createdAt: at, finishedAt: at };
    const made = await insertDeploymentOf(service.id, {
      job: { state: 'failed', phase: null },
      deployment: row,
    });
    ids.push(made.deployment.id);
  }
  const [id = ''] = ids;
  for (let first = 1; first <= lines; first += 500) {
    await objectOf(id).append(first, linesFrom(first, Math.min(lines, first + 499)));
  }
  await logs.finish(id, { ok: false, line: 'It failed.' });
  const { token } = await insertKey({ tenantId });
  return { id, tenantId, token, now, newest: ids.at(-1) ?? '' };
}

const linesOf = async ({ id, token }: { id: string; token: string }) => {
  const { status, body } = await call('GET', `/api/deployments/${id}/logs?limit=10000`, { token });
  return { status, lines: body.logs?.map(({ line }: { line: string }) => line), error: body.error };
};

test('a tenant sees the bytes of its ended logs, until each is removed', { tags: 'slow' }, async () => {
  const { id, tenantId, now, newest } = await oldDeployment(2_000);
  const first = await sizeOf(id);
  expect(await usedBy(tenantId)).toBe(first);
  await objectOf(newest).append(1, linesFrom(1, 3));
  expect(await usedBy(tenantId)).toBe(first);
  await logs.finish(newest, { ok: false });
  await logs.finish(newest, { ok: false });
  const second = await sizeOf(newest);
  expect(await usedBy(tenantId)).toBe(first + second);
  const heir = await insertTenant('heir of logs');
  const move = 'update projects set tenant_id = ? where tenant_id = ?';
  await env.DB.prepare(move).bind(heir, tenantId).run();
  expect([await usedBy(tenantId), await usedBy(heir)]).toEqual([0, first + second]);
  expect(await check(id, now)).toBe(false);
  expect(await usedBy(heir)).toBe(second);
  await deps.db.insert(logPurges).values({ streamName: newest, createdAt: 0 });
  await purgeLogs(deps);
  expect(await usedBy(heir)).toBe(0);
});

test('a log whose bytes were not written when it ended is counted when it is checked', async () => {
  const { id, tenantId, now } = await oldDeployment(3);
  await env.DB.prepare('delete from stored_logs where stream_name = ?').bind(id).run();
  await env.DB.prepare('update deployments set finished_at = ? where id = ?').bind(now, id).run();
  expect(await check(id, now)).toBe(true);
  expect(await usedBy(tenantId)).toBe(await sizeOf(id));
});

test('an archived log is read as before, line by line, from any place and by a stream', {
  tags: 'slow',
}, async () => {
  await archive(100);
  const old = await oldDeployment(5_000);
  const before = await linesOf(old);
  expect(before.lines).toHaveLength(5_001);
  expect(await check(old.id, old.now)).toBe(false);
  expect(await sizeOf(old.id)).toBeLessThan(10_000);
  const object = await env.BLOBS.head(archiveKey(old.id));
  expect(await usedBy(old.tenantId)).toBe(object?.size);

  const both = await Promise.all([linesOf(old), linesOf(old)]);
  expect(both).toEqual([before, before]);
  const late = await LogReader.open(old.id, 4_990);
  expect(await late.closed).toBe(1000);
  expect(late.entries.map(({ id }) => id)).toEqual(Array.from({ length: 11 }, (_, index) => 4_991 + index));
  // The lines leave again, and the archive stays.
  expect(await check(old.id, old.now + 7 * dayMs)).toBe(false);
  expect(await usedBy(old.tenantId)).toBe(object?.size);
  expect(await linesOf(old)).toEqual(before);
});

test('an archived log goes when its days are over, and with its deployment', { tags: 'slow' }, async () => {
  await archive(50);
  const [aged, deleted] = [await oldDeployment(3), await oldDeployment(3)];
  for (const { id, now } of [aged, deleted]) await check(id, now);
  const keys = async () =>
    (await Promise.all([aged, deleted].map(({ id }) => env.BLOBS.head(archiveKey(id))))).map(
      (one) => one !== null,
    );
  expect(await keys()).toEqual([true, true]);
  await deps.db.insert(logPurges).values({ streamName: deleted.id, createdAt: 0 });
  await purgeLogs(deps);
  expect([await keys(), await usedBy(deleted.tenantId)]).toEqual([[true, false], 0]);
  await sweepLogArchive({ ...deps, now: () => aged.now + 9 * dayMs });
  expect(await keys()).toEqual([true, false]);
  await sweepLogArchive({ ...deps, now: () => aged.now + 11 * dayMs });
  expect([await keys(), await usedBy(aged.tenantId)]).toEqual([[false, false], 0]);
  expect((await linesOf(aged)).lines).toEqual([expect.stringContaining('"logDays"')]);
});

test('no line is lost while the bucket fails, and the reader is told', async () => {
  await archive(100);
  const old = await oldDeployment(3);
  const broken = failingBucket((name) => name === 'put' || name === 'get');
  expect(await check(old.id, old.now, broken)).toBe(true);
  expect((await linesOf(old)).lines).toHaveLength(4);
  expect(await check(old.id, old.now + dayMs)).toBe(false);
  await runInDurableObject(objectOf(old.id), (log) =>
    Object.assign(log, { deps: () => ({ ...deps, blobs: createBlobs({ r2: broken }) }) }),
  );
  expect(await linesOf(old)).toMatchObject({ status: 503, error: expect.stringContaining('archive') });
  await runInDurableObject(objectOf(old.id), (log) => Object.assign(log, { deps: () => deps }));
  expect((await linesOf(old)).lines).toHaveLength(4);
});

test('a log that is deleted while it is archived leaves no copy', async () => {
  await archive(100);
  const old = await oldDeployment(3);
  const bucket = new Proxy(env.BLOBS, {
    get: (real, name) =>
      name !== 'put'
        ? Reflect.get(real, name).bind(real)
        : async (...given: Parameters<R2Bucket['put']>) => {
            await env.DB.prepare('delete from stored_logs where stream_name = ?').bind(old.id).run();
            return real.put(...given);
          },
  });
  await check(old.id, old.now, bucket);
  expect(await env.BLOBS.head(archiveKey(old.id))).toBeNull();
});
