/** What cron raises when more conditions hold than it raises in one look: every alert stays open as long as its condition holds. */
import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { raisedMax } from '../../../../worker/store/alerts/open-alerts-first.ts';
import { watchQueue, watchStanding } from '../../../../worker/usecases/alerts/watch-alerts.ts';
import { deps, insertTenant } from '../../../support/worker/api.ts';
import { newHost } from '../../../support/worker/host.ts';

let clock: number;
const timed = { ...deps, now: () => clock };
const more = raisedMax + 30;
const numbers = sql`with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${more})`;

const alertsOf = (rule: string) =>
  deps.db.all<{ subject_id: string; resolved_at: number | null }>(
    sql`select subject_id, resolved_at from alerts where rule = ${rule}`,
  );

beforeEach(async () => {
  clock = Date.UTC(2026, 10, 27);
  await deps.db.run(sql`delete from alerts`);
});

/** Each look raises some, and none ends while all hold. @param shake changes the order in which a query meets the rows */
async function expectAllRaised(rule: string, look: () => Promise<void>, shake: () => Promise<unknown>) {
  await look();
  expect(await alertsOf(rule)).toHaveLength(raisedMax);
  for (let round = 0; round < 2; round++) {
    await shake();
    clock += 3_600_000;
    await look();
    const all = await alertsOf(rule);
    expect(all.filter(({ resolved_at }) => resolved_at !== null)).toEqual([]);
    expect(all).toHaveLength(more);
  }
}

test('certificates that end soon are all raised, and none is told as over while it ends', {
  tags: 'slow',
}, async () => {
  const { id } = await (await newHost()).addService({ name: 'web' });
  const add = (from: string, count: number) =>
    deps.db.run(sql`insert into domains (id, service_id, hostname, status, certificate, created_at, updated_at)
      ${numbers} select ${`dom_${from}`} || substr('000000000000000' || n, -15), ${id}, ${from} || n || '.standing.example.com', 'active',
        json_object('state', 'issued', 'expiresAt', ${clock + 86_400_000}, 'detail', ''), 0, 0 from numbers where n <= ${count}`);
  await add('b', raisedMax);
  await expectAllRaised(
    'certificate',
    () => watchStanding(timed),
    // Rows that come before those that are open.
    async () => {
      const [{ count } = { count: 0 }] = await deps.db.all<{ count: number }>(
        sql`select count(*) as count from domains where service_id = ${id}`,
      );
      if (count === raisedMax) await add('a', more - raisedMax);
    },
  );
  await deps.db.run(sql`delete from domains where service_id = ${id}`);
  await watchStanding(timed);
  expect((await alertsOf('certificate')).filter((alert) => alert.resolved_at === null)).toEqual([]);
});

test('quotas that refuse are all raised, and none is told as over because it has refused again', {
  tags: 'slow',
}, async () => {
  const tenantId = await insertTenant('standing-quotas');
  const insert = sql`insert into quota_refusals (tenant_id, quota, refused_at)`;
  await deps.db.run(
    sql`${insert} ${numbers} select ${tenantId}, 'quota' || n, ${clock} - ${more} + n from numbers`,
  );
  await expectAllRaised(
    'quotaRefused',
    () => watchQueue(timed),
    () =>
      deps.db.run(
        sql`update quota_refusals set refused_at = ${clock} + 1000 * (rowid % 3) where tenant_id = ${tenantId} and rowid % 2 = 0`,
      ),
  );
});
