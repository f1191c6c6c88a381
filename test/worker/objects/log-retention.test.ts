/** @module-tag slow */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { newestWithLogs } from '../../../worker/domain/logs/log-retention.ts';
import { logStreamOf } from '../../../worker/gateways/log-streams.ts';
import type { LogStream } from '../../../worker/objects/log-stream.ts';
import { createClient, deps, insertKey } from '../../support/worker/api.ts';
import { insertDeploymentOf, insertHostedService } from '../../support/worker/deployment-rows.ts';
import { linesFrom, newLog } from '../../support/worker/log-lines.ts';
import { LogReader, logs } from '../../support/worker/log-reader.ts';

const dayMs = 24 * 3_600_000;
const objectOf = (id: string) => logStreamOf(env.LOG_STREAM, id) as DurableObjectStub<LogStream>;

/** Runs the log's alarm, as if it was due at this time. @returns in how many days it is due again; null: never */
async function checkAt(id: string, now: number): Promise<number | null> {
  return runInDurableObject(objectOf(id), async (log, state) => {
    Object.assign(log, { deps: () => ({ ...deps, now: () => now }) });
    await state.storage.deleteAlarm();
    await log.alarm();
    const next = await state.storage.getAlarm();
    return next === null ? null : (next - now) / dayMs;
  });
}

const sizeOf = (id: string) => runInDurableObject(objectOf(id), (_, { storage }) => storage.sql.databaseSize);

async function writtenLog(id: string, lines: number): Promise<void> {
  const stub = objectOf(id);
  for (let first = 1; first <= lines; first += 100) {
    const frame = linesFrom(first, Math.min(lines, first + 99)).map((line) => ({
      ...line,
      line: `${line.line} ${crypto.randomUUID()} src/components/table/row.tsx 12.4 kB`,
    }));
    await stub.append(first, frame);
  }
}

test('an ended log takes a third of the space, and is read as before from any line', async () => {
  const { id } = newLog();
  await writtenLog(id, 5_000);
  const slow = await LogReader.open(id, 0, false);
  const [before, lines] = [await sizeOf(id), (await logs.read(id, 4_321)).lines];
  await logs.finish(id, { ok: true });
  expect(await sizeOf(id)).toBeLessThan(before / 3);
  expect((await logs.read(id, 4_321)).lines).toEqual(lines);
  expect((await logs.readTail(id, 100)).at(-1)).toEqual(lines.at(-1));
  // One that reads while it is compressed, and one that comes later.
  const late = await LogReader.open(id, 4_990);
  slow.socket.send('10000000');
  expect(await Promise.all([slow.closed, late.closed])).toEqual([1000, 1000]);
  expect(slow.entries.map((entry) => entry.id)).toEqual(
    Array.from({ length: 5_000 }, (_, index) => index + 1),
  );
});

/** A service with this many ended deployments, oldest first, a minute between them. */
async function endedDeployments(count: number, endedAt: number) {
  const { service } = await insertHostedService();
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const at = endedAt + index * 60_000;
    const deployment = { status: 'failed' as const, createdAt: at, finishedAt: at };
    const job = { state: 'failed' as const, phase: null };
    ids.push((await insertDeploymentOf(service.id, { job, deployment })).deployment.id);
  }
  return { service, ids };
}

test('a log is removed when it is older than the setting, but not those of the newest deployments and of the live version', async () => {
  const now = Date.now();
  const { ids } = await endedDeployments(newestWithLogs + 3, now - 40 * dayMs);
  const [oldest = '', live = '', young = '', kept = ''] = ids;
  await env.DB.prepare("update deployments set status = 'running' where id = ?").bind(live).run();
  await env.DB.prepare('update deployments set finished_at = ? where id = ?')
    .bind(now - 10 * dayMs, young)
    .run();
  for (const id of [oldest, live, young, kept]) {
    await writtenLog(id, 3);
    await logs.finish(id, { ok: false });
  }
  expect(await Promise.all([oldest, live, young, kept].map((id) => checkAt(id, now)))).toEqual([
    null,
    7,
    4,
    7,
  ]);
  const left = await Promise.all([oldest, live, young, kept].map((id) => logs.read(id, 0)));
  expect(left.map(({ lines }) => lines.length)).toEqual([0, 3, 3, 3]);
});

test('the log of an old command is removed, and says so when it is read', async () => {
  const now = Date.now();
  const { service, ids } = await endedDeployments(1, now);
  const [deployment = ''] = ids;
  const run = (index: number) =>
    env.DB.prepare(
      `insert into runs (id, service_id, job_id, command, time_limit_seconds, status, created_at, finished_at)
       select ?, ?, job_id, 'true', 60, 'succeeded', ?, ? from deployments where id = ?`,
    ).bind(`cmd_retention${index}`, service.id, now - 40 * dayMs + index, now - 40 * dayMs, deployment);
  await env.DB.batch(Array.from({ length: newestWithLogs + 1 }, (_, index) => run(index)));
  await writtenLog('cmd_retention0', 3);
  await logs.finish('cmd_retention0', { ok: true });
  expect(await checkAt('cmd_retention0', now)).toBe(null);
  const { token } = await insertKey();
  const path = `/api/services/${service.id}/runs/cmd_retention0/logs`;
  const { body } = await createClient()('GET', path, { token });
  expect(body.logs).toEqual([expect.objectContaining({ line: expect.stringContaining('"logDays"') })]);
});

test('a log stays while its row is missing or can’t be read', async () => {
  const { id } = newLog();
  await writtenLog(id, 3);
  await logs.finish(id, { ok: true });
  expect(await checkAt(id, Date.now() + 4_000 * dayMs)).toBe(7);
  expect((await logs.read(id, 0)).lines).toHaveLength(3);
});

test('a removed log says so to its readers, and ends', async () => {
  const now = Date.now();
  const { ids } = await endedDeployments(newestWithLogs + 1, now - 40 * dayMs);
  const [oldest = ''] = ids;
  await writtenLog(oldest, 3);
  await logs.finish(oldest, { ok: false });
  expect(await checkAt(oldest, now)).toBe(null);
  const { token } = await insertKey();
  const call = createClient();
  const { body } = await call('GET', `/api/deployments/${oldest}/logs`, { token });
  expect(body.logs).toEqual([
    expect.objectContaining({ stream: 'system', line: expect.stringContaining('"logDays"') }),
  ]);
  expect(await (await LogReader.open(oldest, 0)).closed).toBe(1000);
});
