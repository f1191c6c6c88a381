/** Alerts as hosts and cron see them: raised and resolved once each as events, and what silence, other hosts and other keys may do. */
import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import type { FiringAlert } from '../../../../protocol/metrics/alerts.ts';
import { notificationChannels } from '../../../../worker/store/schema/events.ts';
import { applyHostAlerts } from '../../../../worker/usecases/alerts/sync-alerts.ts';
import { watchQueue, watchStanding } from '../../../../worker/usecases/alerts/watch-alerts.ts';
import {
  createClient,
  deps,
  insertKey,
  insertProject,
  insertTenant,
  operatorToken,
} from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { deploy, newHost, type TestHost } from '../../../support/worker/host.ts';

let clock = Date.now();
const timed = { ...deps, now: () => clock };
const call = createClient({ dependenciesOf: () => timed });
let host: TestHost;
let serviceId: string;
let token: string;

beforeEach(async () => {
  clock = Date.now();
  host = await newHost();
  serviceId = (await host.addService({ name: 'web' })).id;
  token = (await insertKey()).token;
  const tenantId = host.project.tenantId;
  await deps.db.delete(notificationChannels);
  await deps.db.run(sql`insert into notification_channels (id, tenant_id, name, kind, target, sealed_config, events, enabled, created_at, updated_at)
    values ('nch_alerts0000000000', ${tenantId}, 'ops', 'slack', 'x', 'x', '["*"]', 1, 0, 0)`);
});

const memory = (of = serviceId): FiringAlert => ({
  rule: 'memory',
  serviceId: of,
  detail: 'It has used 95 %.',
});
const disk: FiringAlert = { rule: 'hostDisk', serviceId: null, detail: '93 % of its disk.' };
const report = (...firing: FiringAlert[]) => applyHostAlerts(timed, host.runnerId, firing);
const ofService = async (as = token) =>
  (await call('GET', `/api/alerts?serviceId=${serviceId}`, { token: as })).body.alerts;

/** Types of the events about this host and its services, in order, and how many messages wait for them. */
async function told() {
  const rows = await deps.db.all<{
    type: string;
    trigger: string;
    service_name: string;
    messages: number;
  }>(sql`
    select type, trigger, service_name, (select count(*) from notifications where event_id = events.id) as messages from events
    where type like 'alert.%' and (service_id = ${serviceId} or resource_id in (select id from alerts where runner_id = ${host.runnerId}))
    order by rowid`);
  return rows.map(
    ({ type, trigger, service_name, messages }) => `${type} ${trigger} ${service_name} ${messages}`,
  );
}

test('an alert of a host is raised once, shown while it lasts, and resolved once', async () => {
  await Promise.all([report(memory()), report(memory()), report(memory())]);
  await report(memory());
  expect(await told()).toEqual(['alert.raised memory web 1']);
  const [open] = await ofService();
  expect(open).toMatchObject({ rule: 'memory', name: 'web', detail: 'It has used 95 %.', resolvedAt: null });
  await Promise.all([report(), report()]);
  await report();
  expect(await told()).toEqual(['alert.raised memory web 1', 'alert.resolved memory web 1']);
  expect((await ofService())[0].resolvedAt).not.toBeNull();
  await report(memory());
  expect(await ofService()).toHaveLength(2);
});

test('a runner sends its alerts over its socket', async () => {
  const runner = await FakeRunner.connect(host.keys);
  runner.send({ v: 1, type: 'alerts', firing: [memory(), disk] });
  await expect.poll(told).toEqual(['alert.raised memory web 1', 'alert.raised hostDisk host 1']);
  const { body } = await call('GET', '/api/system/alerts?state=open', { token: operatorToken });
  const found = body.alerts.find(
    (one: { runnerId: string; rule: string }) => one.rule === 'hostDisk' && one.runnerId === host.runnerId,
  );
  expect(found).toMatchObject({ serviceId: null, projectId: null, name: 'host' });
  expect(await ofService()).toHaveLength(1);
});

test('a host says nothing about services of another host, and ends no alerts of it', async () => {
  await report(memory());
  const evil = await newHost();
  await applyHostAlerts(deps, evil.runnerId, [memory()]);
  await applyHostAlerts(deps, evil.runnerId, []);
  await applyHostAlerts(deps, evil.runnerId, [{ ...memory(), rule: 'restarts' }]);
  expect(await told()).toEqual(['alert.raised memory web 1']);
  expect(await ofService()).toHaveLength(1);
});

test('a silenced alert ends without a message, and so does a new one of the same until that time', async () => {
  await report(memory());
  const [{ id }] = await ofService();
  const silencedUntil = new Date(deps.now() + 3_600_000).toISOString();
  const reply = await call('PATCH', `/api/alerts/${id}`, {
    token,
    body: { silencedUntil, acknowledged: true },
  });
  expect(reply.status, reply.text).toBe(200);
  const by = reply.body.alert.acknowledgedBy;
  expect(reply.body.alert).toMatchObject({ silencedUntil, silencedBy: by });
  expect(by).toMatch(/^key_/);
  await report();
  await report(memory());
  await report();
  expect(await told()).toEqual(['alert.raised memory web 1']);
  const [second] = await ofService();
  expect(second).toMatchObject({ silencedUntil, silencedBy: by });
  expect(second.id).not.toBe(id);
  await deps.db.run(sql`update alerts set silenced_until = null where subject_id = ${serviceId}`);
  await report(memory());
  expect(await told()).toHaveLength(2);
});

test.each([null, 60_000])(
  'a silence that is changed to %s ms ends then, whatever earlier alerts of the condition said',
  async (ms) => {
    const silence = async (after: number | null) => {
      const [{ id }] = await ofService();
      const silencedUntil = after === null ? null : new Date(clock + after).toISOString();
      expect((await call('PATCH', `/api/alerts/${id}`, { token, body: { silencedUntil } })).status).toBe(200);
    };
    await report(memory());
    await silence(3_600_000);
    await report();
    await report(memory());
    await silence(ms);
    await report();
    clock += 61_000;
    await report(memory());
    expect(await told()).toEqual(['alert.raised memory web 1', 'alert.raised memory web 1']);
    expect((await ofService())[0]).toMatchObject({ silencedUntil: null, silencedBy: null });
  },
);

test('an alert that lasts over a move is that of the new host, and one that was revoked leaves none', async () => {
  await report(memory(), disk);
  const next = await newHost();
  await deps.db.run(sql`update services set runner_id = ${next.runnerId} where id = ${serviceId}`);
  await applyHostAlerts(deps, next.runnerId, [memory()]);
  await report(disk);
  expect(await ofService()).toMatchObject([{ runnerId: next.runnerId, resolvedAt: null }]);
  await applyHostAlerts(deps, next.runnerId, []);
  expect(await ofService()).toMatchObject([{ resolvedAt: expect.any(String) }]);
  const revoked = await call('DELETE', `/api/system/runners/${host.runnerId}`, { token: operatorToken });
  expect(revoked.status, revoked.text).toBe(200);
  const { alerts } = (await call('GET', '/api/system/alerts?state=open', { token: operatorToken })).body;
  expect(alerts.filter((one: { runnerId: string }) => one.runnerId === host.runnerId)).toEqual([]);
});

test('a condition that comes and goes is three messages, one that it flaps, and one when it was absent for an hour', async () => {
  for (let turn = 0; turn < 10; turn++) {
    clock += 60_000;
    await Promise.all([report(memory()), report(memory())]);
    await Promise.all([report(), report()]);
  }
  const raised = 'alert.raised memory web 1';
  const resolved = 'alert.resolved memory web 1';
  expect(await told()).toEqual([raised, resolved, raised, raised]);
  const [flaps] = await deps.db.all<{ error: string }>(
    sql`select error from events where service_id = ${serviceId} order by rowid desc limit 1`,
  );
  expect(flaps?.error).toMatch(/^It comes and goes.* It has used 95 %\.$/);
  expect(await ofService()).toMatchObject([{ flapping: true, resolvedAt: null }, { flapping: false }]);
  clock += 59 * 60_000;
  await watchQueue(timed);
  await report(memory());
  clock += 59 * 60_000;
  await report();
  await watchQueue(timed);
  expect(await told()).toHaveLength(4);
  clock += 60 * 60_000;
  await Promise.all([watchQueue(timed), watchQueue(timed)]);
  expect(await told()).toEqual([raised, resolved, raised, raised, resolved]);
  expect((await ofService())[0].resolvedAt).not.toBeNull();
  await report(memory());
  expect((await told()).slice(5)).toEqual([raised]);
});

test('an alert that flaps ends at once when its rule is switched off, and is not opened again', async () => {
  for (let turn = 0; turn < 3; turn++) {
    await report(memory());
    await report();
  }
  expect(await ofService()).toMatchObject([{ flapping: true, resolvedAt: null }, {}]);
  const rules = `/api/projects/${host.project.id}/default-alerts`;
  expect((await call('PATCH', rules, { token, body: { memory: false } })).status).toBe(200);
  expect((await ofService())[0].resolvedAt).not.toBeNull();
  await report(memory());
  expect((await ofService())[0].resolvedAt).not.toBeNull();
  expect((await told()).slice(4)).toEqual(['alert.resolved memory web 1']);
});

test('an acknowledgement keeps its first time and actor, and can be taken back', async () => {
  await report(memory());
  const [{ id }] = await ofService();
  const change = (body: object) => call('PATCH', `/api/alerts/${id}`, { token, body });
  const first = (await change({ acknowledged: true })).body.alert;
  const other = await insertKey();
  const second = await call('PATCH', `/api/alerts/${id}`, {
    token: other.token,
    body: { acknowledged: true },
  });
  expect(second.body.alert).toMatchObject({
    acknowledgedAt: first.acknowledgedAt,
    acknowledgedBy: first.acknowledgedBy,
  });
  expect((await change({ acknowledged: false })).body.alert).toMatchObject({
    acknowledgedAt: null,
    acknowledgedBy: null,
  });
});

test.each(['2020-01-01T00:00:00Z', '2999-01-01T00:00:00Z'])(
  'a silence until %s is refused',
  async (silencedUntil) => {
    await report(memory());
    const [{ id }] = await ofService();
    const reply = await call('PATCH', `/api/alerts/${id}`, { token, body: { silencedUntil } });
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request']);
    expect(reply.body.error).toContain('"silencedUntil"');
  },
);

test('a key sees and changes alerts of its own projects only', async () => {
  await report(memory());
  const [{ id }] = await ofService();
  const foreign = await insertKey({ tenantId: await insertTenant('alerts') });
  const elsewhere = await insertKey({ projects: [(await insertProject()).id] });
  for (const key of [foreign, elsewhere]) {
    expect(await ofService(key.token)).toEqual([]);
    const reply = await call('PATCH', `/api/alerts/${id}`, {
      token: key.token,
      body: { acknowledged: true },
    });
    expect(reply.status).toBe(404);
  }
});

test('a certificate that ends soon, an old backup and a waiting job are alerts until they are over', async () => {
  const day = 86_400_000;
  const now = deps.now();
  const certificate = JSON.stringify({ state: 'issued', expiresAt: now + 3 * day, detail: '' });
  await deps.db.run(sql`insert into domains (id, service_id, hostname, status, certificate, created_at, updated_at)
    values (${`dom_${serviceId.slice(4)}`}, ${serviceId}, ${`${serviceId.slice(4)}.example.com`}, 'active', ${certificate}, 0, 0)`);
  await deps.db.run(sql`insert into backup_settings (service_id, storage, automatic_enabled, daily_enabled, weekly_enabled, monthly_enabled, drill, next_look_at, noted_due_at, created_at, updated_at)
    values (${serviceId}, 'disk', 1, 1, 0, 0, 'off', 0, 0, ${now - 3 * day}, 0)`);
  const other = await host.addService({ name: 'waiting' });
  await deploy(other);
  await deps.db.run(sql`update runners set connected_at = ${now} where id = ${host.runnerId}`);
  await deps.db.run(
    sql`update jobs set queued_at = ${now - day}, state = 'queued' where service_id = ${other.id}`,
  );
  for (let round = 0; round < 2; round++) {
    await watchStanding(deps);
    await watchQueue(deps);
  }
  expect(await told()).toEqual(['alert.raised certificate web 1', 'alert.raised backupAge web 1']);
  const waiting = (await call('GET', `/api/alerts?serviceId=${other.id}`, { token })).body.alerts;
  expect(waiting).toMatchObject([
    { rule: 'queue', runnerId: null, detail: expect.stringContaining('A job has waited') },
  ]);
  await deps.db.run(
    sql`update domains set certificate = json_set(certificate, '$.expiresAt', ${now + 80 * day}) where service_id = ${serviceId}`,
  );
  await deps.db.run(sql`update backup_settings set automatic_enabled = 0 where service_id = ${serviceId}`);
  await watchStanding(deps);
  expect((await told()).slice(2).sort()).toEqual([
    'alert.resolved backupAge web 1',
    'alert.resolved certificate web 1',
  ]);
});

test('old alerts are removed, open ones and those that are silenced stay', async () => {
  await report(memory(), disk);
  await report(disk);
  await deps.db.run(
    sql`update alerts set raised_at = 1, resolved_at = iif(resolved_at is null, null, 2) where runner_id = ${host.runnerId}`,
  );
  const { pruneAlerts } = await import('../../../../worker/store/alerts/alert-store.ts');
  await pruneAlerts(deps.db, 1_000, 100);
  const left = await deps.db.all<{ rule: string }>(
    sql`select rule from alerts where runner_id = ${host.runnerId}`,
  );
  expect(left).toEqual([{ rule: 'hostDisk' }]);
});
