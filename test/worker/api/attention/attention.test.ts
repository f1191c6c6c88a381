/** What is out of order now: each kind by the rows that say it, its order, its end, and who sees it. */
import { eq, sql } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { newId } from '../../../../protocol/ids.ts';
import type { FiringAlert } from '../../../../protocol/metrics/alerts.ts';
import { platform } from '../../../../worker/domain/access/initiator.ts';
import { domains } from '../../../../worker/store/schema/domains.ts';
import { awaitedPushes } from '../../../../worker/store/schema/git-webhooks.ts';
import { imageUpdates } from '../../../../worker/store/schema/image-updates.ts';
import { runners } from '../../../../worker/store/schema/runners.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import { applyHostAlerts } from '../../../../worker/usecases/alerts/sync-alerts.ts';
import { watchHosts } from '../../../../worker/usecases/alerts/watch-alerts.ts';
import {
  createClient,
  deps,
  insertKey,
  insertProject,
  insertRunner,
  insertService,
  insertTenant,
  type Json,
} from '../../../support/worker/api.ts';
import { databaseWithBackups } from '../../../support/worker/backup-rows.ts';
import { insertDeploymentOf } from '../../../support/worker/deployment-rows.ts';

const minuteMs = 60_000;
const start = Date.parse('2026-11-30T22:00:00Z');
let clock = start;
let tenants = 0;
const timed = { ...deps, now: () => clock };
const call = createClient({ dependenciesOf: () => timed });

let tenantId: string;
let projectId: string;
let runnerId: string;
let token: string;

beforeEach(async () => {
  clock = start;
  tenantId = await insertTenant(`attention ${++tenants}`);
  projectId = (await insertProject({ tenantId, name: 'Shop' })).id;
  runnerId = (await insertRunner({ name: 'fra-1', connectedAt: start - 60 * minuteMs })).id;
  token = (await insertKey({ tenantId })).token;
});

const addService = (fields: Partial<typeof services.$inferInsert> = {}) =>
  insertService({ projectId, runnerId, name: 'web', status: 'active', reachable: true, ...fields });
const ask = async (query = '', as = token): Promise<Json> => {
  const { status, body } = await call('GET', `/api/attention${query}`, { token: as });
  expect([status, body.error]).toEqual([200, undefined]);
  return body;
};
const items = async (query = '', as = token): Promise<Json[]> => (await ask(query, as)).attention;

const live = (serviceId: string, at: number, fields = {}) =>
  insertDeploymentOf(serviceId, {
    job: { state: 'succeeded', finishedAt: at },
    deployment: { status: 'running', createdAt: at, finishedAt: at, commitSha: 'a'.repeat(40), ...fields },
  });
const failed = (serviceId: string, at: number, fields = {}) =>
  insertDeploymentOf(serviceId, {
    job: { state: 'failed', finishedAt: at, failureMessage: 'The build command failed with exit code 1.' },
    deployment: { status: 'failed', createdAt: at, finishedAt: at, commitSha: 'b'.repeat(40), ...fields },
  });
const crash = (at: number) => ({
  sentence: 'The container ended with exit code 1.',
  crash: { at, exitCode: 1, outOfMemory: false },
  lastLines: ['Error: boom'],
});

test('a project in order needs no attention', async () => {
  const web = await addService();
  await live(web.id, start - minuteMs);
  await addService({ name: 'never deployed', status: 'idle', reachable: false });
  await addService({ name: 'asleep', sleep: { asleep: true, since: start } as never });
  expect(await ask()).toEqual({ attention: [], total: 0, open: 0, services: 3, settling: false });
});

test('a crash of the new version offers the rollback to the version before', async () => {
  const web = await addService({ status: 'crashed', crashed: true, reachable: false });
  const before = await live(web.id, start - 90 * minuteMs, { status: 'superseded', imageTag: 'web:1' });
  await live(web.id, start - 20 * minuteMs);
  await deps.db
    .update(services)
    .set({ trouble: crash(start - 12 * minuteMs) })
    .where(eq(services.id, web.id));
  expect(await items()).toMatchObject([
    {
      ...{ kind: 'service', severity: 'down', name: 'web', projectId, serviceId: web.id },
      ...{ projectSlug: expect.any(String), serviceSlug: web.slug },
      what: 'The container ended with exit code 1.',
      effect: 'Visitors get no answer.',
      since: '2026-11-30T21:48:00.000Z',
      ...{ action: 'rollback', resourceId: before.deployment.id, alertId: null },
    },
  ]);
});

test.each([
  ['a version of last week', { liveAt: start - 7 * 1440 * minuteMs, before: true }],
  ['a service without a version before', { liveAt: start - 20 * minuteMs, before: false }],
])('a crash of %s offers its explanation', async (_, { liveAt, before }) => {
  const trouble = crash(start - minuteMs);
  const worker = await addService({
    ...{ name: 'mailer', runtimeMode: 'worker', status: 'crashed', crashed: true, reachable: false, trouble },
  });
  if (before) await live(worker.id, liveAt - minuteMs, { status: 'superseded', imageTag: 'web:1' });
  await live(worker.id, liveAt);
  const found = { action: 'explain', resourceId: worker.id, effect: 'It does no work.' };
  expect(await items()).toMatchObject([found]);
});

test('an alert about a crash is one item with the crash, from its first crash on', async () => {
  const web = await addService({ status: 'crashed', crashed: true, reachable: false });
  await deps.db
    .update(services)
    .set({ trouble: crash(start) })
    .where(eq(services.id, web.id));
  clock = start - 30 * minuteMs;
  const restarts: FiringAlert = { rule: 'restarts', serviceId: web.id, detail: 'It crashed 5 times.' };
  await applyHostAlerts(timed, runnerId, [restarts]);
  clock = start;
  const [item, ...others] = await items();
  expect(others).toEqual([]);
  expect(item).toMatchObject({ kind: 'service', since: '2026-11-30T21:30:00.000Z', acknowledgedAt: null });
  await call('PATCH', `/api/alerts/${item.alertId}`, { token, body: { acknowledged: true } });
  const reply = await ask();
  expect([reply.total, reply.open]).toEqual([1, 0]);
  expect(reply.attention[0].acknowledgedAt).not.toBeNull();
});

test('a stopped service that had crashed needs no attention', async () => {
  await addService({ status: 'stopped', stopped: true, crashed: true, trouble: crash(start) });
  expect(await items()).toEqual([]);
});

test('a service with trouble that answers is failing, not down', async () => {
  const sentence = 'Its disk is full: it stores no more.';
  await addService({ kind: 'database', name: 'db', trouble: { sentence, lastLines: [] } });
  expect(await items()).toMatchObject([{ severity: 'failing', what: sentence, effect: 'It still answers.' }]);
});

test('a newest deployment that failed says what keeps serving, until a newer one is live', async () => {
  const web = await addService();
  await live(web.id, start - 60 * minuteMs);
  const { deployment } = await failed(web.id, start - 10 * minuteMs);
  await insertDeploymentOf(web.id, {
    job: { state: 'aborted' },
    deployment: { status: 'aborted', createdAt: start },
  });
  expect(await items()).toMatchObject([
    {
      ...{ kind: 'deployment', severity: 'failing', action: 'explain', resourceId: deployment.id },
      what: 'The newest deployment of bbbbbbb failed: The build command failed with exit code 1.',
      effect: 'aaaaaaa keeps serving.',
    },
  ]);
  await live(web.id, start + minuteMs);
  expect(await items()).toEqual([]);
});

test.each([
  ['has crashed', { status: 'crashed', crashed: true, reachable: false }, 'The live version has crashed.'],
  ['is stopped', { status: 'stopped', stopped: true, reachable: false }, 'The service is stopped.'],
] as const)(
  'a deployment that failed beside a version that %s does not say that it serves',
  async (_, fields, effect) => {
    const web = await addService(fields);
    await live(web.id, start - 60 * minuteMs);
    await failed(web.id, start - 10 * minuteMs);
    expect((await items()).find(({ kind }) => kind === 'deployment')).toMatchObject({
      severity: 'failing',
      effect,
    });
  },
);

test('a first deployment that failed leaves nothing live', async () => {
  const web = await addService({ status: 'failed', reachable: false });
  await failed(web.id, start, { trigger: 'restart', commitSha: null });
  expect(await items()).toMatchObject([
    { severity: 'down', what: expect.stringMatching(/^The restart failed: /), effect: 'Nothing is live.' },
  ]);
});

test('a host that is away is told with its services, and at once as not settled', async () => {
  await addService();
  await addService({ name: 'api' });
  const gone = { connectedAt: null, disconnectedAt: start };
  await deps.db.update(runners).set(gone).where(eq(runners.id, runnerId));
  clock = start + 5_000;
  expect(await ask()).toMatchObject({ attention: [], settling: true });
  clock = start + 30_000;
  const item = { kind: 'host', severity: 'down', name: 'fra-1', action: 'host', resourceId: runnerId };
  const reply = await ask();
  expect(reply).toMatchObject({ attention: [{ ...item, alertId: null }], settling: false });
  expect(reply.attention[0].what).toBe('The host is not connected: 2 services are on it.');
  clock = start + 6 * minuteMs;
  await deps.db.update(runners).set({ tenantId }).where(eq(runners.id, runnerId));
  await watchHosts(timed);
  expect(await items()).toMatchObject([{ ...item, alertId: expect.stringMatching(/^alt_/) }]);
  await deps.db.update(runners).set({ connectedAt: clock }).where(eq(runners.id, runnerId));
  clock += 30_000;
  await watchHosts(timed);
  expect(await ask()).toMatchObject({ attention: [], settling: false });
});

test('a failed backup is told until a later one of the same data succeeds', async () => {
  const { service, taken } = await databaseWithBackups({}, { tenantId, volumes: ['data', 'media'] });
  const add = async (name: number, status: 'failed' | 'succeeded', at: number) => {
    const id = newId('backup', deps.fillRandom);
    await deps.db.run(sql`insert into backups (id, service_id, engine, volume_id, status, trigger, storage, format, size_bytes,
        checksum, error, created_at, started_at, finished_at)
      select ${id}, ${service.id}, 'volume', id, ${status}, 'daily', 'local', 'tar', 0, '', ${status === 'failed' ? 'The disk is full.' : null},
        ${at}, ${at}, ${at} from volumes where service_id = ${service.id} order by name limit 1 offset ${name}`);
    return id;
  };
  await add(0, 'failed', start - 3 * minuteMs);
  const newest = await add(0, 'failed', start - 2 * minuteMs);
  await add(1, 'succeeded', start - minuteMs);
  expect(await taken()).toHaveLength(3);
  expect((await items()).filter(({ kind }) => kind === 'backup')).toMatchObject([
    { resourceId: newest, what: 'The newest backup failed: The disk is full.', action: 'volume-backups' },
  ]);
  await add(0, 'succeeded', start);
  expect((await items()).filter(({ kind }) => kind === 'backup')).toEqual([]);
});

test('a push that its checks withheld is told, and one that waits is not', async () => {
  const web = await addService();
  await live(web.id, start - 60 * minuteMs);
  const row = {
    ...{
      serviceId: web.id,
      deliveryId: 'd',
      commitSha: 'c'.repeat(40),
      repoUrl: web.repoUrl,
      branch: 'main',
    },
    ...{ startedBy: platform, replaced: [], createdAt: start, looks: 1, detail: 'The check "test" failed.' },
  };
  await deps.db.insert(awaitedPushes).values({ ...row, state: 'waiting' });
  expect(await items()).toEqual([]);
  await deps.db.update(awaitedPushes).set({ state: 'failed' }).where(eq(awaitedPushes.serviceId, web.id));
  expect(await items()).toMatchObject([
    { kind: 'push', what: 'The push of ccccccc was not deployed: The check "test" failed.' },
  ]);
});

test('an image update that failed is told, and one that is under way is not', async () => {
  const web = await addService({ kind: 'image', imageRef: 'nginx:1.29' });
  await live(web.id, start - 60 * minuteMs);
  const outcome = {
    result: 'failed' as const,
    digest: 'sha256:1',
    detail: 'It is unhealthy.',
    at: start,
    tries: 0,
  };
  const row = { serviceId: web.id, imageRef: 'nginx:1.29', checkAt: start, updatedAt: start };
  await deps.db.insert(imageUpdates).values({ ...row, outcome });
  expect(await items()).toMatchObject([
    { kind: 'image-update', what: 'The newest image was not kept: It is unhealthy.' },
  ]);
  await deps.db.update(imageUpdates).set({ outcome: { ...outcome, result: 'deployed' } });
  expect(await items()).toEqual([]);
});

test('a domain that does not point here is a warning, and a refused certificate is failing', async () => {
  const web = await addService();
  const row = { serviceId: web.id, createdAt: start, updatedAt: start, dnsDetail: 'It points to 192.0.2.1.' };
  const certificate = { state: 'failed' as const, expiresAt: null, detail: 'The CA refused it.' };
  await deps.db.insert(domains).values([
    { ...row, id: 'dom_attention0000001', hostname: `a.${web.id}.example`, status: 'pending' },
    { ...row, id: 'dom_attention0000002', hostname: `b.${web.id}.example`, status: 'active', certificate },
    { ...row, id: 'dom_attention0000003', hostname: `c.${web.id}.example`, status: 'active' },
  ]);
  expect(await items()).toMatchObject([
    { severity: 'failing', since: null, what: `b.${web.id}.example gets no certificate: The CA refused it.` },
    { severity: 'warning', what: `a.${web.id}.example does not point to the host: It points to 192.0.2.1.` },
  ]);
});

test('a job that waits for a connected host is told after five minutes', async () => {
  const web = await addService();
  await insertDeploymentOf(web.id, { job: { queuedAt: start } });
  clock = start + 4 * minuteMs;
  expect(await items()).toEqual([]);
  clock = start + 6 * minuteMs;
  expect(await items()).toMatchObject([
    { kind: 'queue', severity: 'warning', what: 'A deployment waits, although fra-1 is connected.' },
  ]);
});

describe('a notification channel', () => {
  const attempt = (at: number, delivered: boolean) =>
    deps.db.batch([
      deps.db.run(sql`insert into events (id, type, tenant_id, project_id, service_id, project_name, service_name, resource_id, created_at)
        values (${`evt_${tenantId.slice(-8)}${at}`}, 'alert.raised', ${tenantId}, '', '', '', '', '', ${at})`),
      deps.db.run(sql`update notifications set attempts = 3, next_attempt_at = null, created_at = ${at},
          last_failure = ${delivered ? null : 'The receiver answered 404.'}, delivered_at = ${delivered ? at : null}
        where event_id = ${`evt_${tenantId.slice(-8)}${at}`}`),
    ]);
  beforeEach(async () => {
    await deps.db.run(sql`insert into notification_channels (id, tenant_id, name, kind, target, sealed_config, events, enabled, created_at, updated_at)
      values (${`nch_${tenantId.slice(4)}`}, ${tenantId}, 'ops', 'slack', 'x', 'x', '["*"]', 1, 0, 0)`);
  });

  test('that fails is told since its first failure, until something arrives', async () => {
    await attempt(1, true);
    await attempt(start - 20 * minuteMs, false);
    await attempt(start - 10 * minuteMs, false);
    expect(await items()).toMatchObject([
      {
        ...{ kind: 'channel', name: 'ops', what: 'Notifications do not arrive: The receiver answered 404.' },
        since: '2026-11-30T21:40:00.000Z',
      },
    ]);
    await attempt(start, true);
    expect(await items()).toEqual([]);
  });

  test('is not told to a key of one project', async () => {
    await attempt(start, false);
    const limited = (await insertKey({ tenantId, projects: [projectId] })).token;
    expect(await items('', limited)).toEqual([]);
  });
});

test('what is down comes before what fails, warnings and what somebody has acknowledged', async () => {
  const web = await addService();
  await live(web.id, start - 60 * minuteMs);
  await failed(web.id, start - minuteMs);
  await addService({
    name: 'api',
    status: 'crashed',
    crashed: true,
    reachable: false,
    trouble: crash(start - 60 * minuteMs),
  });
  const full: FiringAlert = { rule: 'memory', serviceId: web.id, detail: 'It has used 95 %.' };
  await applyHostAlerts(timed, runnerId, [full]);
  const kinds = async () => (await items()).map(({ kind, severity }) => `${kind} ${severity}`);
  expect(await kinds()).toEqual(['service down', 'deployment failing', 'alert warning']);
  const crashed = await addService({
    name: 'old',
    status: 'crashed',
    crashed: true,
    reachable: false,
    trouble: crash(start),
  });
  await applyHostAlerts(timed, runnerId, [
    full,
    { rule: 'restarts', serviceId: crashed.id, detail: 'It crashed.' },
  ]);
  const [{ alertId }] = await items();
  await call('PATCH', `/api/alerts/${alertId}`, { token, body: { acknowledged: true } });
  expect(await kinds()).toEqual(['service down', 'deployment failing', 'alert warning', 'service down']);
});

test('other tenants and keys of other projects see nothing of it', async () => {
  const web = await addService({ status: 'crashed', crashed: true, reachable: false, trouble: crash(start) });
  await applyHostAlerts(timed, runnerId, [
    { rule: 'memory', serviceId: web.id, detail: 'It has used 95 %.' },
  ]);
  expect(await items()).toHaveLength(2);
  const others = [
    await insertKey({ tenantId: await insertTenant('elsewhere') }),
    await insertKey({ tenantId, projects: [(await insertProject({ tenantId })).id] }),
  ];
  for (const other of others)
    expect(await ask('', other.token)).toMatchObject({ attention: [], services: 0 });
});

test('one service or project is asked for alone', async () => {
  const trouble = crash(start);
  const web = await addService({ status: 'crashed', crashed: true, reachable: false, trouble });
  const elsewhere = await insertProject({ tenantId });
  await addService({ projectId: elsewhere.id, status: 'crashed', crashed: true, reachable: false, trouble });
  const seen = async (query: string) => (await items(query)).map(({ serviceId }) => serviceId);
  expect(await seen(`?serviceId=${web.id}`)).toEqual([web.id]);
  expect(await seen(`?projectId=${projectId}`)).toEqual([web.id]);
  expect(await seen('')).toHaveLength(2);
  expect(await seen(`?projectId=${elsewhere.id}&serviceId=${web.id}`)).toEqual([]);
});
