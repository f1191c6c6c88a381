/**
 * Commands that cron starts: settings, occurrences, outages, and what the host is told.
 * @module-tag slow
 */
import { eq, sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import type { HubFrameOf } from '../../../../protocol/frames.ts';
import { events } from '../../../../worker/store/schema/events.ts';
import { occurrences } from '../../../../worker/store/schema/schedules.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import { startDueCommands } from '../../../../worker/usecases/commands/start-due-commands.ts';
import {
  createClient,
  deps,
  insertKey,
  insertProject,
  type Json,
  operatorToken,
} from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost, type TestHost } from '../../../support/worker/host.ts';

const call = createClient();
const { token } = await insertKey();
const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
let host: TestHost;
let runner: FakeRunner;
let service: Awaited<ReturnType<TestHost['addService']>>;

beforeEach(async () => {
  host = await newHost();
  runner = await FakeRunner.connect(host.keys);
  service = await host.addService();
});

const ask = (method: string, path: string, body?: unknown) =>
  call(method, `/api/services/${service.id}/${path}`, { token, ...(body === undefined ? {} : { body }) });
const create = (body: object) =>
  ask('POST', 'schedules', { name: 'report', command: 'npm run report', ...body });
const created = async (body: object): Promise<Json> => (await create(body)).body.schedule;
const occurrencesOf = async ({ id }: Json): Promise<Json[]> =>
  (await ask('GET', `schedules/${id}/occurrences`)).body.occurrences;
const dueAt = ({ nextRunAt }: Json) => Date.parse(nextRunAt);
const cronAt = (now: number) => startDueCommands({ ...deps, now: () => now });
const end = (start: HubFrameOf<'start'>, exitCode = 0) =>
  runner.report(start, {
    type: 'result',
    result:
      exitCode === 0
        ? { outcome: 'succeeded', facts: { exitCode } }
        : { outcome: 'failed', code: 'run_failed', message: `Exit code ${exitCode}.`, facts: { exitCode } },
  });

async function ship(): Promise<void> {
  await ask('POST', 'deployments');
  await end(await runner.next('start'));
}

test('a schedule is read, changed and deleted; a time that changes counts from now, other changes keep the next one', async () => {
  const schedule = await created({ cron: '0 3 * * *' });
  expect(schedule).toMatchObject({
    ...{ name: 'report', cron: '0 3 * * *', timeZone: 'UTC', command: 'npm run report' },
    ...{ timeLimitSeconds: 3_600, overlap: 'skip', enabled: true },
    nextRunAt: expect.stringMatching(/T03:00:00\.000Z$/),
  });
  const change = async (body: object) => (await ask('PATCH', `schedules/${schedule.id}`, body)).body.schedule;
  expect(await change({ command: 'true' })).toMatchObject({ command: 'true', nextRunAt: schedule.nextRunAt });
  expect(await change({ timeZone: 'Asia/Kolkata' })).toMatchObject({
    nextRunAt: expect.stringMatching(/T21:30:00\.000Z$/),
  });
  expect(await change({ enabled: false })).toMatchObject({ enabled: false, nextRunAt: null });
  expect((await ask('GET', 'schedules')).body.schedules).toEqual(
    [await change({ enabled: false })].map((one) => ({
      ...{ ...one, updatedAt: expect.any(String), lastOccurrence: null },
    })),
  );
  expect((await ask('DELETE', `schedules/${schedule.id}`)).body).toEqual({ ok: true });
  expect((await ask('GET', `schedules/${schedule.id}`)).status).toBe(404);
});

test.each([
  [{ cron: '0 3 * *' }, '"cron" must have five fields'],
  [{ cron: '@daily' }, '"cron" must have five fields'],
  [{ cron: '61 3 * * *' }, '"cron" can\'t be read (Invalid value for minute: 61)'],
  [{ cron: '0 0 30 2 *' }, '"cron" names a day that never comes'],
  [{ cron: '0 3 * * *', timeZone: 'Mars/Base' }, '"timeZone" must be an IANA time zone'],
  [{ cron: '0 3 * * *', timeZone: '+01:00' }, '"timeZone" must be an IANA time zone'],
  [{ cron: '0 3 * * *', overlap: 'kill' }, '"overlap"'],
])('a schedule is refused with a sentence that names the field: %j', async (body, sentence) => {
  const reply = await create(body);
  expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining(sentence)]);
});

test('the times of an expression are previewed in words and as the next five, in its time zone', async () => {
  const preview = async (query: string) =>
    await call('GET', `/api/schedule-preview?cron=${encodeURIComponent(query)}&timeZone=Asia/Kolkata`, {
      token,
    });
  const { body } = await preview('30 3 * * *');
  expect(body).toMatchObject({ inWords: 'At 03:30', timeZone: 'Asia/Kolkata' });
  expect(body.nextRunsAt).toEqual(Array(5).fill(expect.stringMatching(/T22:00:00\.000Z$/)));
  expect(new Set(body.nextRunsAt).size).toBe(5);
  const refused = await preview('0 3 * *');
  expect([refused.status, refused.body.error]).toEqual([
    400,
    expect.stringContaining('"cron" must have five'),
  ]);
});

test('the list tells what became of the newest time of each schedule', async () => {
  await ship();
  const minutely = await created({ cron: '* * * * *' });
  const never = await created({ name: 'never', cron: '0 0 29 2 *' });
  for (const minute of [0, 1]) await cronAt(dueAt(minutely) + minute * minuteMs);
  const lastOnes = async () =>
    (await ask('GET', 'schedules')).body.schedules.map((one: Json) => [one.id, one.lastOccurrence]);
  expect(await lastOnes()).toEqual([
    [minutely.id, (await occurrencesOf(minutely))[0]],
    [never.id, null],
  ]);
  const { run } = (await ask('POST', `schedules/${never.id}/run`)).body;
  expect((await lastOnes())[1]).toMatchObject([never.id, { run }]);
});

test('a name is there once, a service has twenty schedules, and a database has none', async () => {
  const cron = '0 3 * * *';
  await create({ cron });
  expect((await create({ cron })).body.code).toBe('conflict');
  for (let n = 1; n < 20; n++) await create({ name: `n${n}`, cron });
  expect((await create({ name: 'more', cron })).body.code).toBe('quota_exceeded');
  service = await host.addService({ kind: 'database', repoFullName: 'database:redis' });
  expect((await create({ cron })).body.code).toBe('unsupported');
});

test('a due command starts once, however many crons run, and its end is in the occurrences', async () => {
  await ship();
  const schedule = await created({ cron: '* * * * *', timeLimitSeconds: 60 });
  const at = dueAt(schedule);
  await cronAt(at - 1);
  expect(await occurrencesOf(schedule)).toEqual([]);
  await Promise.all([cronAt(at), cronAt(at), cronAt(at + 1)]);
  const start = await runner.next('start');
  expect(start.spec).toMatchObject({ kind: 'run', command: 'npm run report', timeLimitSeconds: 60 });
  await end(start);
  const [only, ...others] = await occurrencesOf(schedule);
  expect([only, others]).toMatchObject([
    { dueAt: schedule.nextRunAt, reason: null, missed: 0, run: { status: 'succeeded', exitCode: 0 } },
    [],
  ]);
  expect((await ask('GET', `schedules/${schedule.id}`)).body.schedule.nextRunAt).toBe(
    new Date(at + minuteMs).toISOString(),
  );
});

test('after an outage the newest occurrence is made up for, and those before it are counted', async () => {
  await ship();
  const schedule = await created({ cron: '0 * * * *' });
  await call('PATCH', '/api/system/settings', {
    token: operatorToken,
    body: { eventWebhook: { url: 'https://events.example/hook' } },
  });
  const back = dueAt(schedule) + 3 * hourMs + 5 * minuteMs;
  await cronAt(back);
  await cronAt(back);
  expect(await occurrencesOf(schedule)).toMatchObject([
    { dueAt: new Date(dueAt(schedule) + 3 * hourMs).toISOString(), missed: 3, run: { status: 'queued' } },
  ]);
  const raised = await deps.db.select().from(events).where(eq(events.serviceId, service.id));
  expect(raised.map(({ type, resourceId, error }) => [type, resourceId, error])).toEqual([
    ['run.missed', schedule.id, expect.stringContaining('"report" was due 3 times')],
  ]);
});

test('a service that is transferred takes its schedules along', async () => {
  const schedule = await created({ cron: '0 3 * * *' });
  const { id } = await insertProject();
  expect((await ask('POST', 'transfer', { targetProjectId: id })).status).toBe(200);
  expect((await ask('GET', 'schedules')).body.schedules).toEqual([{ ...schedule, lastOccurrence: null }]);
});

test('a command that has not ended skips the next occurrence, or lets it wait for the end', async () => {
  await ship();
  const skipping = await created({ cron: '* * * * *' });
  const waiting = await created({ name: 'waits', cron: '* * * * *', overlap: 'wait' });
  const at = Math.max(dueAt(skipping), dueAt(waiting));
  await cronAt(at);
  const starts = [await runner.next('start'), await runner.next('start')];
  for (const minutes of [1, 2]) await cronAt(at + minutes * minuteMs);
  const reason = 'The command of the occurrence before had not ended.';
  expect((await occurrencesOf(skipping)).map((one) => [one.reason, one.run?.status])).toEqual([
    [reason, undefined],
    [reason, undefined],
    [null, 'queued'],
  ]);
  expect(await occurrencesOf(waiting)).toHaveLength(1);
  for (const start of starts) await end(start);
  await cronAt(at + 3 * minuteMs);
  expect((await occurrencesOf(waiting)).map(({ missed, run }) => [missed, run?.status])).toEqual([
    [2, 'queued'],
    [0, 'succeeded'],
  ]);
});

test('a service that is stopped or has no live version says so, and disabled schedules start nothing', async () => {
  const schedule = await created({ cron: '* * * * *' });
  const off = await created({ name: 'off', cron: '* * * * *' });
  await ask('PATCH', `schedules/${off.id}`, { enabled: false });
  const at = dueAt(schedule);
  await cronAt(at);
  await ship();
  await deps.db.update(services).set({ stopped: true }).where(eq(services.id, service.id));
  await cronAt(at + minuteMs);
  expect((await occurrencesOf(schedule)).map(({ reason }) => reason)).toEqual([
    'The service was stopped.',
    'The service had no live version.',
  ]);
  expect(await occurrencesOf(off)).toEqual([]);
  const { run } = (await ask('POST', `schedules/${off.id}/run`)).body;
  expect(run).toMatchObject({ command: 'npm run report', scheduleId: off.id });
  expect((await ask('GET', `runs/${run.id}`)).body.run).toEqual(run);
  expect((await ask('GET', 'runs')).body.runs[0]).toEqual(run);
  expect(await occurrencesOf(off)).toMatchObject([{ run }]);
});

test('the first success after a failure raises an event', async () => {
  await ship();
  await call('PATCH', '/api/system/settings', {
    token: operatorToken,
    body: { eventWebhook: { url: 'https://events.example/hook' } },
  });
  const schedule = await created({ cron: '* * * * *' });
  for (const [minute, exitCode] of [0, 1, 0, 0].entries()) {
    await cronAt(dueAt(schedule) + minute * minuteMs);
    await end(await runner.next('start'), exitCode);
  }
  const raised = await deps.db.select().from(events).where(eq(events.serviceId, service.id));
  const types = raised.map(({ type }) => type).filter((type) => type.startsWith('run.'));
  expect(types).toEqual(['run.failed', 'run.recovered']);
});

test('a hundred occurrences are kept, and a deleted service brings them back when it is restored', async () => {
  const schedule = await created({ cron: '* * * * *' });
  await deps.db.run(sql`insert into occurrences (schedule_id, due_at, service_id, reason, missed)
    with recursive count(n) as (select 1 union all select n + 1 from count where n < 110)
    select ${schedule.id}, n, ${service.id}, 'Long ago.', 0 from count`);
  await cronAt(dueAt(schedule));
  const kept = await occurrencesOf(schedule);
  expect([kept.length, kept[0]?.dueAt]).toEqual([100, schedule.nextRunAt]);
  expect(
    await deps.db.select().from(occurrences).where(eq(occurrences.scheduleId, schedule.id)),
  ).toHaveLength(100);
  await runner.disconnect();
  await call('DELETE', `/api/services/${service.id}`, { token });
  await cronAt(dueAt(schedule) + minuteMs);
  await call('POST', `/api/services/${service.id}/restore`, { token });
  expect(await occurrencesOf(schedule)).toEqual(kept);
});

test('the commands of a schedule run where it says, by the clock and by hand', async () => {
  await ship();
  const schedule = await created({ cron: '* * * * *', container: 'live' });
  expect(schedule.container).toBe('live');
  await cronAt(dueAt(schedule));
  const byClock = await runner.next('start');
  expect(byClock.spec).toMatchObject({ kind: 'run', runsIn: 'live' });
  await end(byClock);
  expect((await ask('POST', `schedules/${schedule.id}/run`)).body.run.container).toBe('live');
  const byHand = await runner.next('start');
  expect(byHand.spec).toMatchObject({ runsIn: 'live' });
  await end(byHand);
  const { body } = await ask('PATCH', `schedules/${schedule.id}`, { container: 'new' });
  expect(body.schedule).toMatchObject({ container: 'new', cron: schedule.cron });
});
