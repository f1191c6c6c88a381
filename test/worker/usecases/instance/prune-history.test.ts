import { env } from 'cloudflare:workers';
import { beforeEach, expect, test } from 'vitest';
import { deploymentRoutes } from '../../../../worker/api/deployments/deployments.ts';
import { settingsRoutes } from '../../../../worker/api/instance/settings.ts';
import { pruneHistory } from '../../../../worker/usecases/instance/prune-history.ts';
import { createClient, deps, insertKey, operatorToken } from '../../../support/worker/api.ts';
import { insertHostedService, NotingHubs } from '../../../support/worker/deployment-rows.ts';

const dayMs = 86_400_000;
const now = Date.now();
const hubs = new NotingHubs();
const call = createClient({ dependenciesOf: () => ({ ...deps, hubs }) }, [
  ...deploymentRoutes,
  ...settingsRoutes,
]);

beforeEach(async () => {
  await env.DB.batch(['delete from log_purges', 'delete from projects'].map((text) => env.DB.prepare(text)));
});

/** `count` deployments of a service, numbered from the oldest, the newest of which is `daysAgo` old; each second is one older. */
async function insertHistory(count: number, { daysAgo = 91, status = 'failed' } = {}) {
  const { service, runner } = await insertHostedService();
  const newest = now - daysAgo * dayMs;
  const numbers = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count}) select n from numbers`;
  const name = service.id;
  await env.DB.batch(
    [
      `insert into jobs (id, kind, service_id, runner_id, state, epoch, queued_at, finished_at)
       select 'job_${name}_' || n, 'deploy', '${service.id}', '${runner.id}', 'succeeded', 1, 0, 0 from (${numbers})`,
      `insert into deployments (id, service_id, job_id, status, trigger, created_at, finished_at)
       select 'dep_${name}_' || n, '${service.id}', 'job_${name}_' || n, '${status}', 'manual', ${newest} - (${count} - n) * 1000, 0 from (${numbers})`,
    ].map((text) => env.DB.prepare(text)),
  );
  const change = (n: number, assignments: string) =>
    env.DB.prepare(`update deployments set ${assignments} where id = 'dep_${name}_${n}'`).run();
  return { service, runner, change, id: (n: number) => `dep_${name}_${n}` };
}

const left = async (serviceId: string) => {
  const { results } = await env.DB.prepare(
    `select cast(replace(id, 'dep_${serviceId}_', '') as int) n from deployments where service_id = '${serviceId}' order by n`,
  ).all<{ n: number }>();
  return results.map(({ n }) => n);
};
const count = (query: string) => env.DB.prepare(`select count(*) n from ${query}`).first<number>('n');

test('old deployments go with their jobs and logs; the newest 50 and what is live, unfinished or can be rolled back to stay', async () => {
  const { service, change, id } = await insertHistory(60);
  const young = await insertHistory(60, { daysAgo: 89 });
  await change(1, "status = 'running'");
  await change(2, "status = 'superseded', sealed_snapshot = 'sealed'");
  await change(3, "status = 'building'");
  expect(await pruneHistory(deps)).toBe(7);
  expect(await left(service.id)).toEqual([1, 2, 3, ...Array.from({ length: 50 }, (_, index) => index + 11)]);
  expect(await left(young.service.id)).toHaveLength(60);
  expect(await count(`jobs where service_id = '${service.id}'`)).toBe(53);
  const { results } = await env.DB.prepare('select stream_name name from log_purges').all();
  expect(results.map(({ name }) => name).sort()).toEqual([4, 5, 6, 7, 8, 9, 10].map(id).sort());
  const { token } = await insertKey({ access: 'deploy' });
  expect((await call('POST', `/api/deployments/${id(2)}/rollback`, { token })).status).toBe(200);
  // The rollback is one more of the newest 50.
  expect(await pruneHistory(deps)).toBe(1);
  expect((await left(service.id)).filter((n) => n > 0 && n < 12)).toEqual([1, 2, 3]);
});

/** `count` commands of a service, numbered from the oldest, all of them 91 days old; each second is one older. */
async function insertRuns(total: number) {
  const { service, runner } = await insertHostedService();
  const numbers = `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${total}) select n from numbers`;
  const name = service.id;
  await env.DB.batch(
    [
      `insert into jobs (id, kind, service_id, runner_id, state, epoch, queued_at, finished_at)
       select 'job_run_${name}_' || n, 'run', '${name}', '${runner.id}', 'succeeded', 1, 0, 0 from (${numbers})`,
      `insert into runs (id, service_id, job_id, command, time_limit_seconds, status, created_at, finished_at)
       select 'cmd_${name}_' || n, '${name}', 'job_run_${name}_' || n, 'true', 60, 'succeeded', ${now - 91 * dayMs} - (${total} - n) * 1000, 0 from (${numbers})`,
    ].map((text) => env.DB.prepare(text)),
  );
  return { service, id: (n: number) => `cmd_${name}_${n}` };
}

test('old commands go with their jobs and logs; the newest 50, those that run, and those of a schedule stay', async () => {
  const { service, id } = await insertRuns(60);
  await env.DB.batch(
    [
      `update runs set status = 'running' where id = '${id(1)}'`,
      `insert into schedules (id, service_id, name, cron, time_zone, command, time_limit_seconds, overlap, enabled, created_at, updated_at)
       values ('sch_1', '${service.id}', 'nightly', '0 0 * * *', 'UTC', 'true', 60, 'skip', 1, 0, 0)`,
      `insert into occurrences (schedule_id, due_at, service_id, run_id, missed) values ('sch_1', 1, '${service.id}', '${id(2)}', 0)`,
    ].map((text) => env.DB.prepare(text)),
  );
  expect(await pruneHistory(deps)).toBe(8);
  const { results } = await env.DB.prepare('select id from runs where service_id = ?').bind(service.id).all();
  const stay = [1, 2, ...Array.from({ length: 50 }, (_, index) => index + 11)].map(id);
  expect(results.map((row) => row.id).sort()).toEqual(stay.sort());
  expect(await count(`jobs where service_id = '${service.id}' and kind = 'run'`)).toBe(52);
  const purges = await env.DB.prepare('select stream_name name from log_purges').all();
  expect(purges.results.map(({ name }) => name).sort()).toEqual([3, 4, 5, 6, 7, 8, 9, 10].map(id).sort());
  expect(await count('occurrences')).toBe(1);
  expect(await pruneHistory(deps)).toBe(0);
});

test('finished jobs on data go after 30 days, unless a backup, restore, import, drill or upgrade refers to them', async () => {
  const { service, runner } = await insertHistory(1);
  const job = (id: string, state: string, daysAgo: number) =>
    `insert into jobs (id, kind, service_id, runner_id, state, epoch, queued_at, finished_at)
     values ('${id}', 'backup', '${service.id}', '${runner.id}', '${state}', 1, 0, ${now - daysAgo * dayMs})`;
  await env.DB.batch(
    [
      job('job_orphan', 'failed', 31),
      job('job_young', 'failed', 29),
      job('job_queued', 'queued', 31),
      job('job_owned', 'succeeded', 31),
    ].map((text) => env.DB.prepare(text)),
  );
  await env.DB.prepare(
    `insert into backups (id, service_id, job_id, engine, status, trigger, storage, format, size_bytes, checksum, created_at, started_at)
     values ('bak_1', '${service.id}', 'job_owned', 'redis', 'succeeded', 'manual', 'disk', 'rdb', 1, '', 0, 0)`,
  ).run();
  expect(await pruneHistory(deps)).toBe(1);
  const { results } = await env.DB.prepare("select id from jobs where kind = 'backup' order by id").all();
  expect(results.map(({ id }) => id)).toEqual(['job_owned', 'job_queued', 'job_young']);
});

test('a backlog of 100,000 deployments is pruned in runs of at most 20 s and 50,000 rows', {
  tags: 'slow',
  timeout: 120_000,
}, async () => {
  const { service } = await insertHistory(100_000);
  const runs: number[] = [];
  for (let run = 0; run < 40 && (runs.at(-1) ?? 1) > 0; run++) {
    const startedAt = Date.now();
    runs.push(await pruneHistory(deps));
    // The last pass of a run may begin just before its time is over.
    expect(Date.now() - startedAt).toBeLessThan(25_000);
  }
  expect(Math.max(...runs)).toBeLessThanOrEqual(50_000);
  expect(await left(service.id)).toHaveLength(50);
  expect(await count('log_purges')).toBe(99_950);
});

test('services beyond those of one run are looked at by the next ones', async () => {
  const services = [];
  for (let n = 0; n < 3; n++) services.push((await insertHistory(51)).service);
  await env.DB.prepare('update services set rowid = 5050 where id = ?').bind(services[1]?.id).run();
  await env.DB.prepare('update services set rowid = 9950 where id = ?').bind(services[2]?.id).run();
  const hours = [0, 1].map((hour) => Math.ceil(now / 3_600_000) * 3_600_000 + hour * 3_600_000);
  let pruned = 0;
  for (const at of hours) pruned += await pruneHistory({ ...deps, now: () => at });
  expect(pruned).toBe(3);
});

test('the setting keeps the fields that a request omits, and refuses what it does not allow by name', async () => {
  const patch = (retention: object) =>
    call('PATCH', '/api/system/settings', { token: operatorToken, body: { retention } });
  const wanted = { deploymentDays: 7, deploymentsPerService: 5 };
  const defaults = { deploymentDays: 90, deploymentsPerService: 50, jobDays: 30, eventDays: 30 };
  expect((await patch(wanted)).body.settings.retention).toEqual({ ...defaults, ...wanted });
  const { service } = await insertHistory(8, { daysAgo: 8 });
  expect(await pruneHistory(deps)).toBe(3);
  expect(await left(service.id)).toEqual([4, 5, 6, 7, 8]);
  for (const [field, value] of Object.entries({
    deploymentDays: 0,
    deploymentsPerService: 4,
    eventDays: 6,
    jobDays: 1.5,
    weeks: 1,
  })) {
    const { status, body } = await patch({ [field]: value });
    expect([field, status, body.error]).toEqual([field, 400, expect.stringContaining(field)]);
  }
  expect((await patch(defaults)).status).toBe(200);
});
