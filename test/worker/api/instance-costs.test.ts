/** What the instance says it costs: from what it counts, above what the plan includes. */
import { beforeEach, expect, test } from 'vitest';
import { estimateCosts } from '../../../worker/domain/instance-costs.ts';
import { dayOf } from '../../../worker/domain/tenant-day.ts';
import { objectDays } from '../../../worker/store/schema/tenant-days.ts';
import { createClient, deps, operatorToken } from '../../support/worker/api.ts';

const call = createClient();
const today = dayOf(Date.now());

beforeEach(() => deps.db.delete(objectDays));

test('requests of the last 30 days and what is stored now are billed above what the plan includes', async () => {
  await deps.db.insert(objectDays).values([
    { day: today, requests: 1_500_000 },
    { day: today - 29, requests: 1_500_000 },
    { day: today - 30, requests: 9_000_000 },
  ]);
  const { status, body } = await call('GET', '/api/system/costs', { token: operatorToken });
  expect(status).toBe(200);
  const { costs } = body;
  expect(costs.items[0]).toEqual({
    name: 'objectRequests',
    used: 3_000_000,
    included: 1_000_000,
    dollars: 0.3,
  });
  const database = costs.items.find(({ name }: { name: string }) => name === 'databaseBytes');
  expect(database.used).toBeGreaterThan(100_000);
  expect(costs).toMatchObject({ dollarsPerMonth: 5.3, planDollars: 5, days: 30 });
  expect(costs.notCounted).toContain('workerRequests');
  expect(costs.prices.url).toMatch(/^https:\/\/developers\.cloudflare\.com\//);
});

test('an instance that uses less than the plan includes costs the plan', () => {
  const small = { objectRequests: 900_000, logBytes: 5e9, databaseBytes: 1e6, backupBytes: 10e9 };
  expect(estimateCosts(small).dollarsPerMonth).toBe(5);
  expect(estimateCosts({ ...small, logBytes: 15e9, backupBytes: 110e9 }).dollarsPerMonth).toBe(8.5);
});
