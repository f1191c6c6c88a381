/** Schedules whose surroundings fail: the database, other schedules, aborted commands, a service that changes its kind. */
import { and, eq, lte, sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import type { HubFrameOf } from '../../../../protocol/frames.ts';
import type { JobResult } from '../../../../protocol/job-report.ts';
import { events } from '../../../../worker/store/schema/events.ts';
import { runs } from '../../../../worker/store/schema/runs.ts';
import { occurrences, schedules } from '../../../../worker/store/schema/schedules.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import { startScheduleNow } from '../../../../worker/usecases/commands/schedules.ts';
import { startDueCommands } from '../../../../worker/usecases/commands/start-due-commands.ts';
import { createClient, deps, insertKey, type Json, operatorToken } from '../../../support/worker/api.ts';
import { storeThatIsDown, storeThatLosesAnswers } from '../../../support/worker/d1/failing-store.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost, serviceRow, type TestHost } from '../../../support/worker/host.ts';

const call = createClient();
const { token } = await insertKey();
const minuteMs = 60_000;
let host: TestHost;
let runner: FakeRunner;
let service: Awaited<ReturnType<TestHost['addService']>>;

beforeEach(async () => {
  host = await newHost();
  runner = await FakeRunner.connect(host.keys);
  service = await host.addService();
  await ask('POST', 'deployments');
  await end(await runner.next('start'), { outcome: 'succeeded', facts: {} });
});

const ask = (method: string, path: string, body?: unknown) =>
  call(method, `/api/services/${service.id}/${path}`, { token, ...(body === undefined ? {} : { body }) });
const end = (start: HubFrameOf<'start'>, result: JobResult) =>
  runner.report(start, { type: 'result', result });
const created = async (name: string): Promise<Json> =>
  (await ask('POST', 'schedules', { name, cron: '* * * * *', command: 'true' })).body.schedule;
const occurrencesOf = async ({ id }: Json): Promise<Json[]> =>
  (await ask('GET', `schedules/${id}/occurrences`)).body.occurrences;
const dueAt = ({ nextRunAt }: Json) => Date.parse(nextRunAt);
const cronAt = (now: number, db = deps.db) => startDueCommands({ ...deps, db, now: () => now });
const runsOf = (serviceId: string) => deps.db.select().from(runs).where(eq(runs.serviceId, serviceId));

test('a database that is down or loses its answers makes no command start twice, and loses none', async () => {
  const schedule = await created('report');
  const at = dueAt(schedule);
  await expect(cronAt(at, storeThatIsDown())).rejects.toThrow();
  expect(await runsOf(service.id)).toEqual([]);
  await cronAt(at, storeThatLosesAnswers());
  await cronAt(at + 1_000);
  expect(await runsOf(service.id)).toHaveLength(1);
  expect(await occurrencesOf(schedule)).toMatchObject([
    { dueAt: schedule.nextRunAt, missed: 0, run: { status: 'queued' } },
  ]);
});

test('a start by hand whose answer is lost is among the occurrences', async () => {
  const schedule = await created('report');
  const [row] = await deps.db.select().from(schedules).where(eq(schedules.id, schedule.id));
  if (!row) throw new Error('The schedule is gone.');
  const owner = await serviceRow(service.id);
  const broken = { ...deps, db: storeThatLosesAnswers() };
  await expect(startScheduleNow(broken, { service: owner, schedule: row })).rejects.toThrow();
  const [run] = await runsOf(service.id);
  expect((await occurrencesOf(schedule)).map((one) => one.run?.id)).toEqual([run?.id]);
});

test('a service that has become a static site starts nothing and says so', async () => {
  const schedule = await created('report');
  await deps.db.update(services).set({ runtimeMode: 'static' }).where(eq(services.id, service.id));
  await cronAt(dueAt(schedule));
  expect(await occurrencesOf(schedule)).toMatchObject([
    { run: null, reason: 'The service was a static site, which runs no commands.' },
  ]);
});

test('the first success after a failure raises its event although a command in between was aborted', async () => {
  await call('PATCH', '/api/system/settings', {
    token: operatorToken,
    body: { eventWebhook: { url: 'https://events.example/hook' } },
  });
  const schedule = await created('report');
  const results: JobResult[] = [
    { outcome: 'failed', code: 'run_failed', message: 'Exit code 1.', facts: { exitCode: 1 } },
    { outcome: 'aborted', facts: {} },
    { outcome: 'succeeded', facts: { exitCode: 0 } },
    { outcome: 'succeeded', facts: { exitCode: 0 } },
  ];
  for (const [minute, result] of results.entries()) {
    await cronAt(dueAt(schedule) + minute * minuteMs);
    const start = await runner.next('start');
    if (result.outcome === 'aborted') {
      const [newest] = await occurrencesOf(schedule);
      await ask('POST', `runs/${newest?.run.id}/abort`);
      await runner.next('abort');
    }
    await end(start, result);
  }
  const raised = await deps.db.select().from(events).where(eq(events.serviceId, service.id));
  expect(raised.map(({ type }) => type)).toEqual(['run.failed', 'run.recovered']);
});

test('a disabled schedule that is started by hand keeps a hundred occurrences, too', async () => {
  const schedule = await created('report');
  await ask('PATCH', `schedules/${schedule.id}`, { enabled: false });
  await deps.db.run(sql`insert into occurrences (schedule_id, due_at, service_id, reason, missed)
    with recursive count(n) as (select 1 union all select n + 1 from count where n < 110)
    select ${schedule.id}, n, ${service.id}, 'Long ago.', 0 from count`);
  await ask('POST', `schedules/${schedule.id}/run`);
  const kept = await deps.db.select().from(occurrences).where(eq(occurrences.scheduleId, schedule.id));
  expect(kept).toHaveLength(100);
});

test("schedules that can't be read hold no others up", async () => {
  for (let index = 0; index < 9; index++) await created(`broken ${index}`);
  const schedule = await created('report');
  const at = dueAt(schedule);
  await deps.db
    .update(schedules)
    .set({ timeZone: 'Mars/Base', checkAt: at - minuteMs })
    .where(and(eq(schedules.serviceId, service.id), lte(schedules.name, 'broken 9')));
  await cronAt(at);
  expect((await occurrencesOf(schedule)).map(({ run }) => run?.status)).toEqual(['queued']);
});
