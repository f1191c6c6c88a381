/** What the instance says it costs: from what it counts and what Cloudflare measures, above what the plan includes. */
import { beforeEach, expect, test } from 'vitest';
import { estimateCosts } from '../../../../worker/domain/instance/instance-costs.ts';
import { dayOf } from '../../../../worker/domain/tenants/tenant-day.ts';
import { objectDays } from '../../../../worker/store/schema/tenant-days.ts';
import { readCosts } from '../../../../worker/usecases/instance/read-costs.ts';
import { createClient, deps, operatorToken } from '../../../support/worker/api.ts';

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
    source: 'longshore',
    used: 3_000_000,
    included: 1_000_000,
    dollars: 0.3,
  });
  const database = costs.items.find(({ name }: { name: string }) => name === 'databaseBytes');
  expect(database.used).toBeGreaterThan(100_000);
  expect(costs).toMatchObject({ dollarsPerMonth: 5.3, planDollars: 5, days: 30 });
  expect(costs.notCounted).toContain('workerRequests');
  expect(costs.analytics).toEqual({ isSet: false, problem: null });
  expect(costs.prices.url).toMatch(/^https:\/\/developers\.cloudflare\.com\//);
});

test('an instance that uses less than the plan includes costs the plan', () => {
  const small = { objectRequests: 900_000, logBytes: 5e9, databaseBytes: 1e6, backupBytes: 10e9 };
  expect(estimateCosts(small).dollarsPerMonth).toBe(5);
  expect(estimateCosts({ ...small, logBytes: 15e9, backupBytes: 110e9 }).dollarsPerMonth).toBe(8.5);
});

test('what Cloudflare measures of the same days is billed too, and no longer named as not counted', async () => {
  const now = () => Date.parse('2026-11-28T23:59:59Z');
  const asked: unknown[] = [];
  const measuring = (problem: string | null) => ({
    read: async (days: unknown) => {
      asked.push(days);
      return { use: { workerRequests: 12_000_000, rowsWritten: 60_000_000 }, problem };
    },
  });
  const costs = await readCosts({ ...deps, now, accountAnalytics: measuring('No numbers of objects.') });
  expect(asked).toEqual([{ first: '2026-10-30', last: '2026-11-28' }]);
  const measured = costs.items.filter(({ source }) => source === 'cloudflare');
  expect(measured).toEqual([
    { name: 'workerRequests', source: 'cloudflare', used: 12_000_000, included: 10_000_000, dollars: 0.6 },
    { name: 'rowsWritten', source: 'cloudflare', used: 60_000_000, included: 50_000_000, dollars: 10 },
  ]);
  expect(costs.dollarsPerMonth).toBe(15.6);
  expect(costs.notCounted).toEqual([
    ...['workerCpuMs', 'objectSeconds', 'rowsRead', 'objectRowsRead', 'objectRowsWritten', 'logArchive'],
  ]);
  expect(costs.analytics).toEqual({ isSet: true, problem: 'No numbers of objects.' });
});
