/** Requests to objects of logs are counted by samples, and logs slow down before the day's budget is spent. */
import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, expect, test } from 'vitest';
import { dayOf } from '../../../worker/domain/tenants/tenant-day.ts';
import { DayBudget } from '../../../worker/objects/day-budget.ts';
import { addObjectRequests } from '../../../worker/store/instance/object-day-store.ts';
import { upsertSettings } from '../../../worker/store/instance/settings-store.ts';
import { deps } from '../../support/worker/api.ts';
import { linesFrom, newLog } from '../../support/worker/log-lines.ts';
import { LogReader } from '../../support/worker/log-reader.ts';

const budgetOf = (value: number | null) =>
  upsertSettings(deps.db, { objectRequestsPerDay: value }, Date.now());
const usedToday = async () => (await addObjectRequests(deps.db, 0, Date.now())).used;

async function used(requests: number): Promise<void> {
  await env.DB.exec('delete from object_days');
  if (requests > 0) await addObjectRequests(deps.db, requests, Date.now());
}

afterEach(async () => {
  await budgetOf(null);
  await used(0);
});

test('ten thousand requests are counted within a tenth of a row each, and nearly right', async () => {
  const { stub } = newLog();
  const work: Promise<unknown>[] = [];
  await runInDurableObject(stub, (_, ctx) => {
    const kept = Object.create(ctx, { waitUntil: { value: (one: Promise<unknown>) => work.push(one) } });
    const budget = new DayBudget(
      kept,
      () => deps,
      () => {},
    );
    for (let request = 0; request < 10_000; request++) budget.count(1);
  });
  await Promise.all(work);
  // 100 rows are expected, with a standard deviation of 10.
  expect(work.length).toBeGreaterThan(40);
  expect(work.length).toBeLessThan(160);
  expect(await usedToday()).toBe(work.length * 100);
});

test('days before the last month are forgotten with the next sample', async () => {
  const day = 24 * 3_600_000;
  await addObjectRequests(deps.db, 100, Date.now() - 40 * day);
  await addObjectRequests(deps.db, 100, Date.now() - day);
  await addObjectRequests(deps.db, 100, Date.now());
  const { results } = await env.DB.prepare('select day from object_days order by day').all();
  expect(results).toEqual([{ day: dayOf(Date.now()) - 1 }, { day: dayOf(Date.now()) }]);
});

test('from half of the budget on, the host and each reader are told once that lines come less often', async () => {
  await budgetOf(100_000);
  await used(50_000);
  const { id, stub } = newLog();
  const reader = await LogReader.open(id, 0);
  await reader.until((text) => text.includes('event: pace'));
  expect(await stub.append(1, linesFrom(1, 1))).toEqual({ through: 1, watched: true, paceMs: 1_000 });
  await used(80_000);
  const late = await LogReader.open(id, 0);
  await Promise.all([reader, late].map((one) => one.until((text) => text.includes('"everyMs":5000'))));
  expect(await stub.append(2, linesFrom(2, 2))).toMatchObject({ paceMs: 5_000 });
  await Promise.all([reader.untilLine(2), late.untilLine(2)]);
  const pacesOf = (one: LogReader) =>
    one.events.filter(({ event }) => event === 'pace').map(({ data }) => JSON.parse(data).everyMs);
  expect([pacesOf(reader), pacesOf(late)]).toEqual([[1_000, 5_000], [5_000]]);
  expect([reader.ids, late.ids]).toEqual([
    [1, 2],
    [1, 2],
  ]);
});

test('the next day begins at the usual pace, and readers are told so', async () => {
  await budgetOf(1_000);
  await used(1_000);
  const { id, stub } = newLog();
  const reader = await LogReader.open(id, 0);
  await reader.until((text) => text.includes('"everyMs":5000'));
  await runInDurableObject(stub, (log) => {
    const real = Reflect.get(log, 'deps');
    Reflect.set(log, 'deps', () => ({ ...real(), now: () => Date.now() + 24 * 3_600_000 }));
  });
  expect(await stub.append(1, linesFrom(1, 1))).toEqual({ through: 1, watched: true });
  await reader.until((text) => text.includes('"everyMs":250,"reason":null'));
});
