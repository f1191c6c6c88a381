/** Large accounts: what one request may cost however much there is. */
import { env } from 'cloudflare:workers';
import { beforeAll, expect, test } from 'vitest';
import { selectPlacementCandidates } from '../../../../worker/store/hosts/placement-store.ts';
import { openDatabase } from '../../../../worker/store/sql/database.ts';
import { sweepBackups } from '../../../../worker/usecases/backups/sweep-backups.ts';
import { applyObservation } from '../../../../worker/usecases/hosts/apply-observation.ts';
import {
  createClient,
  deps,
  insertKey,
  insertProject,
  insertRunner,
  insertService,
  insertTenant,
  type Json,
  operatorToken,
} from '../../../support/worker/api.ts';
import { copyRows, numbers } from '../../../support/worker/d1/copy-rows.ts';
import { countedBinding } from '../../../support/worker/d1/counted-binding.ts';
import { NotingHubs } from '../../../support/worker/deployment-rows.ts';
import { serviceRow } from '../../../support/worker/host.ts';

/** Far below the 1,000 calls to D1 and objects of the free plan (https://developers.cloudflare.com/workers/platform/limits/#subrequests). */
const callsMax = 50;
const [projectCount, servicesEach] = [200, 10];

let trips = 0;
let statements = 0;
let hubCalls = 0;
let token: string;
let runnerId: string;
let tenantId: string;

const countedStore = openDatabase(
  countedBinding((_, count) => {
    trips++;
    statements += count;
  }),
);

/** Counts what leaves the Worker, whether the answer waits for it or not: batches and statements to D1, calls of objects. */
const call = createClient({
  checkReplies: false,
  dependenciesOf: () => ({
    ...deps,
    db: countedStore,
    hubs: new Proxy(deps.hubs, {
      get: (target, name) => {
        const member = Reflect.get(target, name);
        return (...args: unknown[]) => {
          hubCalls++;
          return member.apply(target, args);
        };
      },
    }),
  }),
});

beforeAll(async () => {
  tenantId = await insertTenant('large');
  token = (await insertKey({ tenantId, lastUsedAt: deps.now() })).token;
  runnerId = (await insertRunner({ shared: true })).id;
  const project = await insertProject({ tenantId, slug: 'template', updatedAt: 1 });
  const service = await insertService({ projectId: project.id, runnerId, updatedAt: 1 });
  await copyRows('projects', `id = '${project.id}'`, projectCount - 1, {
    id: `'prj_' || n`,
    slug: `'slug-' || n`,
  });
  await copyRows('services', `id = '${service.id}'`, projectCount * servicesEach - 1, {
    id: `'svc_' || n`,
    slug: `'slug-' || n`,
    project_id: `case n % ${projectCount} when 0 then '${project.id}' else 'prj_' || (n % ${projectCount}) end`,
    host_port: '50000 + n',
    generated_hostname: `'name-' || n`,
    status: `case n % ${projectCount} when 7 then 'failed' else 'active' end`,
    updated_at: 'n',
    last_deployed_at: '2 * n',
  });
});

test('a list of 200 projects of 10 services takes one round trip, and is right', async () => {
  await call('GET', '/api/projects', { token });
  trips = 0;
  const reply = await call('GET', '/api/projects', { token });
  expect([reply.status, trips]).toEqual([200, 1]);
  const { projects } = reply.body;
  expect(projects).toHaveLength(projectCount);
  expect(
    projects.every(
      ({ serviceCount, services }: Json) => serviceCount === servicesEach && services.length === servicesEach,
    ),
  ).toBe(true);
  const seventh = projects.find(({ id }: Json) => id === 'prj_7');
  // Its services are 7, 207, ... 1807: the last one was deployed last.
  expect(seventh).toMatchObject({ status: 'degraded', lastUpdatedAt: new Date(2 * 1807).toISOString() });
  expect(projects.filter(({ status }: Json) => status === 'active')).toHaveLength(projectCount - 1);
});

test('a host that reports 2,000 changed services costs two statements', async () => {
  const services = Array.from({ length: projectCount * servicesEach - 1 }, (_, index) => ({
    ...{ serviceId: `svc_${index + 1}`, deploymentId: 'dep_1', state: 'running' as const, reachable: true },
    ...(index === 0 && { state: 'crashed' as const, reachable: false, diskMb: 5 }),
    ...(index === 0 && { trouble: { sentence: 'It ended.', lastLines: ['giving up'] } }),
  }));
  statements = 0;
  await applyObservation({ ...deps, db: countedStore }, runnerId, services);
  expect(statements).toBe(2);
  expect(await serviceRow('svc_1')).toMatchObject({
    ...{ status: 'crashed', crashed: true, reachable: false, diskMb: 5 },
    trouble: { sentence: 'It ended.', lastLines: ['giving up'] },
  });
  expect(await serviceRow('svc_2')).toMatchObject({ status: 'active', reachable: true, trouble: null });
  expect(await serviceRow('svc_7'), 'a failed deployment stays visible').toMatchObject({ status: 'failed' });
  statements = 0;
  await applyObservation({ ...deps, db: countedStore }, runnerId, services);
  expect(statements, 'nothing changed').toBe(1);
});

test('deleting a project with 500 deployments and 60 services on 3 hosts stays below 50 calls', {
  tags: 'slow',
}, async () => {
  const project = await insertProject({ tenantId });
  const hosts = [runnerId, (await insertRunner({ tenantId })).id, (await insertRunner({ tenantId })).id];
  const services = [];
  for (let index = 0; index < 60; index++) {
    services.push(await insertService({ projectId: project.id, runnerId: hosts[index % 3] ?? runnerId }));
  }
  const serviceId = services[0]?.id;
  await env.DB.batch(
    [
      `insert into jobs (id, kind, service_id, runner_id, state, epoch, queued_at)
       select 'job_' || n, 'deploy', '${serviceId}', '${runnerId}', 'failed', 0, 0 from (${numbers(500)})`,
      `insert into deployments (id, service_id, job_id, status, trigger, created_at)
       select 'dep_' || n, '${serviceId}', 'job_' || n, 'failed', 'manual', 0 from (${numbers(500)})`,
    ].map((text) => env.DB.prepare(text)),
  );
  trips = 0;
  hubCalls = 0;
  expect((await call('DELETE', `/api/projects/${project.id}`, { token })).status).toBe(200);
  expect(hubCalls).toBeGreaterThan(0);
  expect(trips + hubCalls).toBeLessThan(callsMax);
  const left = async (query: string) => env.DB.prepare(query).first<number>('n');
  expect(await left(`select count(*) as n from deployments`)).toBe(0);
  expect(await left(`select count(*) as n from deleted_rows where source = 'deployments'`)).toBe(500);
  trips = 0;
  hubCalls = 0;
  expect((await call('POST', `/api/projects/${project.id}/restore`, { token })).status).toBe(200);
  expect(trips + hubCalls).toBeLessThan(callsMax);
  expect(await left(`select count(*) as n from deployments`)).toBe(500);
  expect((await call('DELETE', `/api/projects/${project.id}`, { token })).status).toBe(200);
  const purge = `/api/system/deleted/${project.id}/purge`;
  expect((await call('POST', purge, { token: operatorToken })).status).toBe(200);
  expect(await left(`select count(*) as n from log_purges`)).toBe(500);
});

test('a run of cron checks the backups of 64 databases in at most 300 round trips, those that waited longest first', {
  tags: 'slow',
}, async () => {
  await env.DB.prepare(
    `update services set kind = 'database', repo_full_name = 'database:postgres' where id like 'svc_1%' and length(id) <= 8`,
  ).run();
  await env.DB.prepare(
    `insert into backup_settings (service_id, storage, automatic_enabled, daily_enabled, weekly_enabled, monthly_enabled, drill, next_look_at, created_at, updated_at)
     select id, 'disk', 1, 1, 1, 1, 'off', cast(substr(id, 5) as integer), 0, 0 from services where id like 'svc_1%' and length(id) <= 8`,
  ).run();
  await env.DB.batch(
    [
      'update runners set connected_at = 1',
      `insert into jobs (id, kind, service_id, runner_id, state, epoch, queued_at, finished_at)
       select 'job_of_' || service_id, 'deploy', service_id, '${runnerId}', 'succeeded', 0, 0, 1 from backup_settings`,
      `insert into deployments (id, service_id, job_id, status, trigger, created_at, finished_at)
       select 'dep_of_' || service_id, service_id, 'job_of_' || service_id, 'running', 'manual', 0, 1 from backup_settings`,
    ].map((text) => env.DB.prepare(text)),
  );
  trips = 0;
  const hubs = new NotingHubs();
  expect(await sweepBackups({ ...deps, hubs, db: countedStore })).toBe(64);
  expect(trips).toBeLessThanOrEqual(300);
  const { results } = await env.DB.prepare(
    `select cast(substr(service_id, 5) as integer) as n from backup_settings where next_look_at > 10000 order by n`,
  ).all<{ n: number }>();
  const all = Array.from({ length: 2000 }, (_, index) => index).filter((n) => String(n).startsWith('1'));
  expect(results.map(({ n }) => n)).toEqual(all.slice(0, 64));
  const { n: taken } = (await env.DB.prepare('select count(*) as n from backups').first<{ n: number }>()) ?? {
    n: 0,
  };
  expect(taken).toBe(64);
});

test('a new service looks at few of 2,000 hosts, and lands on an open one', async () => {
  // The one that has all services so far.
  await env.DB.prepare('update runners set drained = 1').run();
  const host = await insertRunner({ tenantId, drained: true });
  const service = await insertService({ projectId: 'prj_3', runnerId: host.id });
  await copyRows('runners', `id = '${host.id}'`, 2_000, {
    id: `printf('run_%016x', n * 2654435761)`,
    drained: 'n % 10 = 0',
    connected_at: '1',
  });
  await copyRows('services', `id = '${service.id}'`, 10_000, {
    id: `'svc_of_host_' || n`,
    generated_hostname: 'null',
    slug: `'of-host-' || n`,
    runner_id: `printf('run_%016x', (1 + n % 2000) * 2654435761)`,
    host_port: '50000 + n',
  });
  const { sql, params } = selectPlacementCandidates(deps.db, {
    ...{ tenantId, projectId: 'prj_of_no_service', wanted: undefined },
    start: 'run_000000a',
  }).toSQL();
  const { meta, results } = await env.DB.prepare(sql)
    .bind(...params)
    .all();
  expect(results.length).toBeGreaterThan(20);
  expect(meta.rows_read).toBeLessThan(1_500);
  const project = await insertProject({ tenantId });
  const made = await call('POST', `/api/projects/${project.id}/services`, {
    token,
    body: { name: 'placed', repoUrl: 'https://git.example/placed' },
  });
  const row = await env.DB.prepare('select drained, tenant_id from runners where id = ?')
    .bind(made.body.service.runnerId)
    .first();
  expect(row).toEqual({ drained: 0, tenant_id: tenantId });
});
