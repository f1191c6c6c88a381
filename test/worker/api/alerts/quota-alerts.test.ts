/** Alerts about quotas: those that are nearly used up, and those that refused something; who is told, and who sees them. */
import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { type EventFacts, summaryOf } from '../../../../worker/domain/alerts/events.ts';
import type { Quotas } from '../../../../worker/domain/tenants/quotas.ts';
import { watchQueue, watchStanding } from '../../../../worker/usecases/alerts/watch-alerts.ts';
import {
  createClient,
  deps,
  insertKey,
  insertProject,
  insertTenant,
  operatorToken,
} from '../../../support/worker/api.ts';

const minuteMs = 60_000;
let clock: number;
const timed = { ...deps, now: () => clock };
const call = createClient({ dependenciesOf: () => timed });
let tenantId: string;
let token: string;
let made = 0;

beforeEach(async () => {
  clock = Date.now();
  made += 1;
  tenantId = await insertTenant(`acme-${made}`);
  token = (await insertKey({ tenantId })).token;
  await deps.db.run(sql`insert into notification_channels (id, tenant_id, name, kind, target, sealed_config, events, enabled, created_at, updated_at)
    values (${`nch_quotas${String(made).padStart(10, '0')}`}, ${tenantId}, 'ops', 'slack', 'x', 'x', '["*"]', 1, 0, 0)`);
});

const limit = (quotas: Quotas) =>
  call('PATCH', `/api/system/tenants/${tenantId}`, { token: operatorToken, body: { quotas } });
const addProject = () => call('POST', '/api/projects', { token, body: { name: 'shop' } });
const alertsOf = async (as = token) => (await call('GET', '/api/alerts', { token: as })).body.alerts;
const told = async () =>
  (
    await deps.db.all<{
      type: string;
      trigger: string;
      service_name: string;
      messages: number;
    }>(sql`select type, trigger, service_name,
      (select count(*) from notifications where event_id = events.id) as messages from events
      where tenant_id = ${tenantId} and type like 'alert.%' order by rowid`)
  ).map(({ type, trigger, service_name, messages }) => `${type} ${trigger} ${service_name} ${messages}`);
const name = () => `acme-${made}`;

test('a quota that is nearly used up is raised once at 80 %, and resolved once below 75 %', async () => {
  await limit({ projects: 20 });
  for (let count = 0; count < 15; count++) await insertProject({ tenantId });
  await watchStanding(timed);
  expect(await told()).toEqual([]);
  const last = await insertProject({ tenantId });
  await Promise.all([watchStanding(timed), watchStanding(timed)]);
  await watchStanding(timed);
  expect(await told()).toEqual([`alert.raised quotaNear ${name()} 1`]);
  expect(await alertsOf()).toMatchObject([
    {
      ...{ rule: 'quotaNear', quota: 'projects', name: name(), resolvedAt: null },
      ...{ serviceId: null, projectId: null, runnerId: null },
      detail: 'Of the quota "projects", 80 % are used: 16 of 20. Free some, or ask the operator to raise it.',
    },
  ]);
  await deps.db.run(sql`delete from projects where id = ${last.id}`);
  await watchStanding(timed);
  expect(await told()).toHaveLength(1);
  await limit({ projects: 21 });
  await watchStanding(timed);
  await watchStanding(timed);
  expect(await told()).toEqual([
    `alert.raised quotaNear ${name()} 1`,
    `alert.resolved quotaNear ${name()} 1`,
  ]);
});

test('minutes of builds count against the limit of the instance, of this day only and not for the default tenant', async () => {
  const limits = (buildMinutesPerDay: number | null) =>
    call('PATCH', '/api/system/settings', {
      token: operatorToken,
      body: { tenantLimits: { buildMinutesPerDay } },
    });
  expect((await limits(100)).status).toBe(200);
  const day = Math.floor(Date.now() / 86_400_000);
  for (const tenant of [tenantId, 'default'])
    await deps.db.run(sql`insert into tenant_days (tenant_id, day, build_ms, log_bytes)
      values (${tenant}, ${day}, ${90 * minuteMs}, 0) on conflict do update set build_ms = excluded.build_ms`);
  await watchStanding(timed);
  expect(await alertsOf()).toMatchObject([
    { quota: 'buildMinutesPerDay', detail: expect.stringContaining('90 of 100') },
  ]);
  const all = await call('GET', '/api/system/alerts?state=open', { token: operatorToken });
  expect(all.body.alerts.filter((one: { name: string }) => one.name === 'default')).toEqual([]);
  await deps.db.run(sql`update tenant_days set day = day - 1 where tenant_id = ${tenantId}`);
  await watchStanding(timed);
  expect((await told()).at(-1)).toBe(`alert.resolved quotaNear ${name()} 1`);
  await limits(null);
});

test('the day of object requests of the instance is told to the default tenant, once a day', async () => {
  const budget = (objectRequestsPerDay: number | null) =>
    call('PATCH', '/api/system/settings', { token: operatorToken, body: { objectRequestsPerDay } });
  expect((await budget(100_000)).status).toBe(200);
  const use = async (part: number) => {
    await deps.db.run(sql`insert into object_days (day, requests) values (unixepoch() / 86400, ${100_000 * part})
      on conflict do update set requests = excluded.requests`);
    await watchStanding(timed);
  };
  await use(0.79);
  await use(0.81);
  await use(0.9);
  const all = async () =>
    (await call('GET', '/api/system/alerts', { token: operatorToken })).body.alerts.filter(
      (one: { quota: string }) => one.quota === 'objectRequestsPerDay',
    );
  expect(await all()).toMatchObject([{ rule: 'quotaNear', name: 'default', resolvedAt: null }]);
  await use(0);
  await budget(null);
  expect(await all()).toMatchObject([{ resolvedAt: expect.any(String) }]);
});

test('a quota that refuses is raised once, writes one row however often it refuses, and is over after a day', async () => {
  await limit({ projects: 0 });
  for (let attempt = 0; attempt < 5; attempt++) {
    expect((await addProject()).body.code).toBe('quota_exceeded');
    clock += 1_000;
  }
  const noted = await deps.db.all(
    sql`select quota, refused_at from quota_refusals where tenant_id = ${tenantId}`,
  );
  expect(noted).toEqual([{ quota: 'projects', refused_at: clock - 5_000 }]);
  await Promise.all([watchQueue(timed), watchQueue(timed)]);
  await watchQueue(timed);
  expect(await told()).toEqual([`alert.raised quotaRefused ${name()} 1`]);
  clock += 23 * 60 * minuteMs;
  await addProject();
  clock += 23 * 60 * minuteMs;
  await watchQueue(timed);
  expect(await told()).toHaveLength(1);
  clock += 2 * 60 * minuteMs;
  await watchQueue(timed);
  await watchQueue(timed);
  expect(await told()).toEqual([
    `alert.raised quotaRefused ${name()} 1`,
    `alert.resolved quotaRefused ${name()} 1`,
  ]);
});

test('a refusal is over when the operator changes the quotas, and other refusals are none of a quota', async () => {
  await limit({ projects: 0 });
  await addProject();
  await call('GET', '/api/projects/prj_0000000000000000', { token });
  await watchQueue(timed);
  expect(await alertsOf()).toMatchObject([{ rule: 'quotaRefused', quota: 'projects', resolvedAt: null }]);
  await limit({ projects: 5 });
  await watchQueue(timed);
  expect(await alertsOf()).toMatchObject([{ resolvedAt: expect.any(String) }]);
});

test('an alert about a quota is acknowledged and silenced by keys for all projects of its tenant only', async () => {
  await limit({ projects: 0 });
  await addProject();
  await watchQueue(timed);
  const [{ id }] = await alertsOf();
  const project = await insertProject({ tenantId });
  const foreign = await insertKey({ tenantId: await insertTenant(`other-${made}`) });
  const chosen = await insertKey({ tenantId, projects: [project.id] });
  for (const key of [foreign, chosen]) {
    expect(await alertsOf(key.token)).toEqual([]);
    const reply = await call('PATCH', `/api/alerts/${id}`, {
      token: key.token,
      body: { acknowledged: true },
    });
    expect(reply.status).toBe(404);
  }
  const silencedUntil = new Date(clock + 60 * minuteMs).toISOString();
  const reply = await call('PATCH', `/api/alerts/${id}`, {
    token,
    body: { acknowledged: true, silencedUntil },
  });
  expect(reply.body.alert).toMatchObject({ silencedUntil, acknowledgedBy: expect.stringMatching(/^key_/) });
  await limit({ projects: 0 });
  await watchQueue(timed);
  await addProject();
  await watchQueue(timed);
  expect(await told()).toEqual([`alert.raised quotaRefused ${name()} 1`]);
});

test('the operator switches the rules off for the instance, which ends what is open', async () => {
  const rules = (on: boolean) =>
    call('PATCH', '/api/system/default-alerts', { token: operatorToken, body: { quotaRefused: on } });
  await limit({ projects: 0 });
  await addProject();
  await watchQueue(timed);
  expect((await rules(false)).status).toBe(200);
  await watchQueue(timed);
  expect(await alertsOf()).toMatchObject([{ resolvedAt: expect.any(String) }]);
  await rules(true);
});

test('a notice about a quota names the tenant', () => {
  const facts: Omit<EventFacts, 'trigger'> = {
    ...{ id: 'evt_1', createdAt: 0, tenantId: 'ten_1', projectId: '', projectName: '' },
    ...{
      type: 'alert.raised',
      serviceId: '',
      serviceName: 'Acme',
      resourceId: 'alt_1',
      startedBy: null,
      error: null,
    },
  };
  expect(summaryOf({ ...facts, trigger: 'quotaNear' })).toBe('The tenant Acme: a quota is nearly used up.');
  expect(summaryOf({ ...facts, trigger: 'hostDisk' })).toBe('The host Acme: its disk is nearly full.');
});
