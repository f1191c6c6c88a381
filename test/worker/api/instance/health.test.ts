import { env } from 'cloudflare:workers';
import { beforeEach, expect, test } from 'vitest';
import worker from '../../../../worker/index.ts';
import { dueWork, runScheduledWork } from '../../../../worker/scheduled.ts';
import { newestMigration } from '../../../../worker/store/instance/health-store.ts';
import { addObjectRequests } from '../../../../worker/store/instance/object-day-store.ts';
import { upsertSettings } from '../../../../worker/store/instance/settings-store.ts';
import { createClient, deps, insertKey, insertRunner } from '../../../support/worker/api.ts';
import { storeThatIsDown } from '../../../support/worker/d1/failing-store.ts';
import { deploy, newHost } from '../../../support/worker/host.ts';

const noon = Date.UTC(2026, 10, 22, 12);
const minute = 60_000;
const clientAt = (now: number) => createClient({ dependenciesOf: () => ({ ...deps, now: () => now }) });
const healthAt = (now: number) => clientAt(now)('GET', '/healthz');

const runAt = (now: number, works = {}) => runScheduledWork({ ...deps, now: () => now }, works);

/** What `work` returns while the database is one that this version has not migrated. */
async function withoutNewestMigration<T>(work: () => Promise<T>): Promise<T> {
  await env.DB.prepare('delete from d1_migrations where name = ?').bind(newestMigration).run();
  try {
    return await work();
  } finally {
    await env.DB.prepare('insert into d1_migrations (name) values (?)').bind(newestMigration).run();
  }
}

beforeEach(async () => {
  await env.DB.batch([
    env.DB.prepare('delete from scheduled_runs'),
    // Wherever this file comes in a long run: the age of the instance is what the tests say, not what the run took.
    env.DB.prepare("update d1_migrations set applied_at = datetime(? / 1000, 'unixepoch')").bind(noon),
  ]);
});

test('a new instance is healthy, and so is one whose scheduled work ran', async () => {
  expect(await healthAt(noon)).toMatchObject({
    status: 200,
    body: { status: 'ok', database: 'ok', scheduledWork: null },
  });
  await runAt(noon);
  const { status, body, headers } = await healthAt(noon + minute);
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(body).toEqual({
    ...{ status: 'ok', database: 'ok', oldestJobSeconds: 0, oldestBackupCheckSeconds: 0, lastDumpAt: null },
    scheduledWork: { lastRunAt: '2026-11-22T12:00:00.000Z', durationMs: 0, failed: [] },
    objectRequestsToday: { used: 0, budget: null },
  });
});

test('scheduled work that failed is named until it succeeds', async () => {
  const broken = { 'sweep-jobs': () => Promise.reject(new Error('no')) };
  await runAt(noon, broken);
  expect(await healthAt(noon)).toMatchObject({
    status: 200,
    body: { status: 'degraded', scheduledWork: { failed: ['sweep-jobs'] } },
  });
  await runAt(noon + minute, { 'prune-records': async () => {} });
  expect((await healthAt(noon + minute)).body.scheduledWork.failed).toEqual(['sweep-jobs']);
  await runAt(noon + 2 * minute, { 'sweep-jobs': async () => {} });
  expect((await healthAt(noon + 2 * minute)).body).toMatchObject({
    status: 'ok',
    scheduledWork: { failed: [] },
  });
});

test('all parts of the scheduled work are due within an hour, jobs in each minute, and at most fourteen at once', () => {
  const minutes = Array.from({ length: 60 }, (_, index) => Object.keys(dueWork(1_000_020 + index)));
  expect(new Set(minutes.flat()).size).toBe(26);
  expect(minutes.every((names) => names.includes('sweep-jobs'))).toBe(true);
  expect(Math.max(...minutes.map((names) => names.length))).toBeLessThanOrEqual(14);
});

test('a run that comes late does the work of the minute it was meant for', async () => {
  const scheduledTime = Date.UTC(2026, 10, 22, 12, 40); // the minute of sweep-uploads, whatever the clock says
  const failedAfter = async (scheduled: number) => {
    await worker.scheduled({ scheduledTime: scheduled, cron: '* * * * *', noRetry() {} }, env);
    return (await healthAt(Date.now())).body.scheduledWork.failed;
  };
  await runAt(Date.now(), { 'sweep-uploads': () => Promise.reject(new Error('no')) });
  expect(await failedAfter(scheduledTime + minute)).toEqual(['sweep-uploads']);
  expect(await failedAfter(scheduledTime)).toEqual([]);
});

test.each([
  ['ok', 3, 200],
  ['degraded', 5, 200],
  ['failing', 12, 503],
])('the health is %s when the scheduled work last ran %i minutes ago', async (status, minutes, code) => {
  await runAt(noon);
  expect(await healthAt(noon + minutes * minute)).toMatchObject({ status: code, body: { status } });
});

test('an instance whose scheduled work has never run fails when it is older than some minutes', async () => {
  expect((await healthAt(noon + minute)).body).toMatchObject({ status: 'ok', scheduledWork: null });
  expect(await healthAt(noon + 12 * minute)).toMatchObject({ status: 503, body: { status: 'failing' } });
});

test('health reports the oldest job that a connected host has not taken, and ignores hosts that are away', async () => {
  const { addService, runnerId } = await newHost();
  await deploy(await addService());
  await env.DB.prepare('update jobs set queued_at = ?').bind(noon).run();
  expect((await healthAt(noon + minute)).body.oldestJobSeconds).toBe(0);
  await env.DB.prepare('update runners set connected_at = 1 where id = ?').bind(runnerId).run();
  expect((await healthAt(noon + minute)).body.oldestJobSeconds).toBe(60);
});

test('a database that cannot be reached is 503, without details', async () => {
  const call = createClient({ dependenciesOf: () => ({ ...deps, db: storeThatIsDown() }) });
  expect(await call('GET', '/healthz')).toMatchObject({
    status: 503,
    body: { status: 'failing', database: 'unreachable', scheduledWork: null },
  });
});

test('while a migration is missing, requests and scheduled work are refused by its name, and go on after it', async () => {
  const { token } = await insertKey();
  await insertRunner();
  const call = createClient();
  const done: string[] = [];
  const works = { one: async () => done.push('one') };
  const missing = await withoutNewestMigration(async () => {
    await runAt(noon, works);
    return [
      await call('GET', '/api/projects', { token }),
      await call('GET', '/healthz'),
      await call('GET', '/openapi.json'),
    ];
  });
  expect(missing[0]).toMatchObject({ status: 503, body: { code: 'unavailable' } });
  expect(missing[0]?.body.error).toContain(newestMigration);
  expect(missing[0]?.headers.get('retry-after')).toBe('10');
  expect(missing[1]).toMatchObject({ status: 503, body: { status: 'failing', database: 'not_migrated' } });
  expect(missing[2]?.status).toBe(200);
  expect(done).toEqual([]);
  expect((await call('GET', '/api/projects', { token })).status).toBe(200);
  await runAt(noon, works);
  expect(done).toEqual(['one']);
});

test('a browser that opens the address gets the dashboard; a program gets the addresses', async () => {
  const call = createClient();
  const page = await call('GET', '/', { headers: { accept: 'text/html,application/xhtml+xml' } });
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.text).toContain('/dashboard/app.js');
  expect((await call('GET', '/')).body).toEqual({
    ...{ name: 'Longshore', docs: '/docs', openapi: '/openapi.json', health: '/healthz' },
  });
});

test('the use of the day is shown, and most of its budget used asks for a look', async () => {
  await runAt(noon);
  await addObjectRequests(deps.db, 800, noon);
  const shown = async () => {
    const { status, objectRequestsToday } = (await healthAt(noon)).body;
    return { status, ...objectRequestsToday };
  };
  expect(await shown()).toEqual({ status: 'ok', used: 800, budget: null });
  await upsertSettings(deps.db, { objectRequestsPerDay: 1_000 }, noon);
  expect(await shown()).toEqual({ status: 'degraded', used: 800, budget: 1_000 });
  await upsertSettings(deps.db, { objectRequestsPerDay: 1_001 }, noon);
  expect(await shown()).toEqual({ status: 'ok', used: 800, budget: 1_001 });
  await env.DB.exec('delete from object_days');
  await upsertSettings(deps.db, { objectRequestsPerDay: null }, noon);
});
