/** The outbox of notification channels over an injected clock, with a real receiver beside workerd. */
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { createDependencies } from '../../../../worker/context.ts';
import { auditLog } from '../../../../worker/store/schema/audit.ts';
import { events, notificationChannels } from '../../../../worker/store/schema/events.ts';
import { deliverNotifications } from '../../../../worker/usecases/alerts/deliver-notifications.ts';
import { createClient, deps, insertKey, insertTenant, operatorToken } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost } from '../../../support/worker/host.ts';
import { receivedAt, receiverUrl } from '../../../support/worker/servers/webhook-receiver.ts';

const call = createClient();
const { token } = await insertKey();
const path = '/api/notification-channels';
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

beforeEach(async () => {
  const tables = ['events', 'notification_channels', 'settings', 'audit_log'];
  await env.DB.batch(tables.map((name) => env.DB.prepare(`delete from ${name}`)));
  await call('PATCH', '/api/system/settings', {
    token: operatorToken,
    body: { allowPrivateEventWebhook: true },
  });
});

async function newChannel(more: object = {}, behaviour?: string) {
  const url = receiverUrl(behaviour);
  const body = { name: url.slice(-20), slack: { url }, ...more };
  const { channel } = (await call('POST', path, { token, body })).body;
  const list = async () =>
    (await call('GET', `${path}/${channel.id}/notifications`, { token })).body.notifications;
  const texts = async () => (await receivedAt(url)).map(({ body: text }) => JSON.parse(text).text);
  return { id: channel.id as string, list, texts };
}

/** A service whose deployments end as the test wants. */
async function deployable() {
  const host = await newHost();
  const runner = await FakeRunner.connect(host.keys);
  const service = await host.addService();
  const deploy = async (outcome: 'succeeded' | 'failed') => {
    await call('POST', `/api/services/${service.id}/deployments`, { token });
    const start = await runner.next('start');
    const failure = {
      outcome: 'failed',
      code: 'build_failed',
      message: 'npm install failed.',
      facts: {},
    } as const;
    const result = outcome === 'failed' ? failure : ({ outcome, facts: {} } as const);
    await runner.report(start, { type: 'result', result });
  };
  return { service, deploy };
}

/** Cron of this moment. @returns how many notifications it claimed */
const deliverAt = (now: number) => deliverNotifications({ ...createDependencies(env), now: () => now });

test('the first success, a failure and the recovery of a service are one message each, and other successes none', {
  tags: 'slow',
}, async () => {
  const channel = await newChannel();
  const { deploy } = await deployable();
  for (const outcome of ['succeeded', 'succeeded', 'failed', 'failed', 'succeeded', 'succeeded'] as const) {
    await deploy(outcome);
  }
  expect((await channel.list()).map(({ type }: { type: string }) => type).sort()).toEqual([
    ...['deployment.failed', 'deployment.failed', 'deployment.first_success', 'deployment.recovered'],
  ]);
  expect(await deliverAt(Date.now() + minuteMs)).toBe(4);
  expect(await deliverAt(Date.now() + dayMs)).toBe(0);
  expect((await channel.texts()).toSorted()).toEqual([
    'A deployment of Web (project Test) failed. Started by the key test.',
    'A deployment of Web (project Test) failed. Started by the key test.',
    'A deployment of Web (project Test) has succeeded again. Started by the key test.',
    'Web (project Test) runs for the first time. Started by the key test.',
  ]);
  expect((await channel.list())[0]).toMatchObject({
    delivery: 'delivered',
    attempts: 1,
    nextAttemptAt: null,
  });
});

test('a channel gets the types and the project that it asked for, and nothing while it is disabled', {
  tags: 'slow',
}, async () => {
  const { service, deploy } = await deployable();
  const wanted = await newChannel({ projectId: service.projectId, events: ['deployment.failed'] });
  const { project } = (await call('POST', '/api/projects', { token, body: { name: 'Other' } })).body;
  const others = [
    await newChannel({ projectId: project.id }),
    await newChannel({ events: ['backup.failed'] }),
    await newChannel({ enabled: false }),
  ];
  await deploy('succeeded');
  await deploy('failed');
  expect((await wanted.list()).map(({ type }: { type: string }) => type)).toEqual(['deployment.failed']);
  for (const other of others) expect(await other.list()).toEqual([]);
});

test('a receiver that is away gets the message once when it is back, and others do not wait for it', {
  tags: 'slow',
}, async () => {
  const { deploy } = await deployable();
  const away = await newChannel({}, 'status/503');
  const works = await newChannel();
  await deploy('failed');
  const start = Date.now() + minuteMs;
  await deliverAt(start);
  expect(await works.texts()).toHaveLength(1);
  expect(await away.list()).toMatchObject([
    { delivery: 'pending', attempts: 1, lastFailure: 'The receiver answered with HTTP 503.' },
  ]);
  const back = receiverUrl();
  await call('PATCH', `${path}/${away.id}`, { token, body: { slack: { url: back } } });
  for (const minutes of [0, 1, 2]) await deliverAt(start + minutes * minuteMs);
  expect(await receivedAt(back)).toHaveLength(1);
  expect(await works.texts()).toHaveLength(1);
});

test('a channel hears that a cause is over only after it has heard of it, however long that took', {
  tags: 'slow',
}, async () => {
  const { deploy } = await deployable();
  const away = await newChannel({}, 'status/503');
  await deploy('failed');
  const begun = Date.now() + minuteMs;
  await deliverAt(begun);
  await deploy('succeeded');
  const back = receiverUrl();
  await call('PATCH', `${path}/${away.id}`, { token, body: { slack: { url: back } } });
  const titles = async () => (await receivedAt(back)).map(({ body }) => JSON.parse(body).text);
  expect(await deliverAt(begun)).toBe(0);
  expect(await deliverAt(begun + minuteMs)).toBe(2);
  expect(await titles()).toEqual([
    'A deployment of Web (project Test) failed. Started by the key test.',
    expect.stringMatching(/succeeded again|first time/),
  ]);
});

test('a message for a receiver that never answers well is given up after a day, and the audit log says so', {
  tags: 'slow',
}, async () => {
  const { deploy } = await deployable();
  const away = await newChannel({}, 'status/500');
  await deploy('failed');
  let now = Date.now() + minuteMs;
  const begun = now;
  for (let attempt = 0; attempt < 20 && (await away.list())[0].delivery === 'pending'; attempt++) {
    await deliverAt(now);
    now = Date.parse((await away.list())[0].nextAttemptAt ?? new Date(now).toISOString());
  }
  expect((await away.list())[0]).toMatchObject({ delivery: 'undelivered', attempts: 12 });
  expect(now - begun).toBeGreaterThan(0.9 * dayMs);
  const entries = await deps.db.select().from(auditLog).where(eq(auditLog.resourceId, away.id));
  expect(entries.map(({ route }) => route)).toContain('notification.undelivered deployment.failed');
});

test('tenants take turns, however many messages one of them has', { tags: 'slow' }, async () => {
  const [flood, other] = [await newChannel(), await newChannel({ name: 'other' })];
  await env.DB.prepare(`update notification_channels set tenant_id = ? where id = ?`)
    .bind(await insertTenant('turns'), other.id)
    .run();
  const insert = (id: string, tenantId: string, at: number) =>
    deps.db.insert(events).values({
      ...{
        id,
        type: 'deployment.failed',
        tenantId,
        projectId: 'prj_x',
        projectName: 'Shop',
        serviceId: 'svc_x',
      },
      ...{ serviceName: 'web', resourceId: 'dep_x', createdAt: at },
    });
  for (let count = 0; count < 30; count++) await insert(`evt_flood${count}`, 'default', count);
  const [row] = await deps.db
    .select()
    .from(notificationChannels)
    .where(eq(notificationChannels.id, other.id));
  await insert('evt_other', row?.tenantId ?? '', 1_000);
  expect(await deliverAt(Date.now())).toBe(10);
  expect(await flood.texts()).toHaveLength(9); // the tenth of this minute was the other tenant's
});

test('what happens in quiet hours is sent at their end', { tags: 'slow' }, async () => {
  const { deploy } = await deployable();
  const quietHours = { from: '22:00', to: '07:00', timeZone: 'UTC' };
  const channel = await newChannel({ quietHours });
  await deploy('failed');
  const night = Date.parse('2030-01-01T23:30:00Z');
  await deliverAt(night);
  expect([await channel.texts(), await channel.list()]).toMatchObject([
    [],
    [{ delivery: 'pending', attempts: 0, nextAttemptAt: '2030-01-02T07:00:00.000Z' }],
  ]);
  await deliverAt(Date.parse('2030-01-02T06:59:00Z'));
  expect(await channel.texts()).toEqual([]);
  await deliverAt(Date.parse('2030-01-02T07:00:00Z'));
  expect(await channel.texts()).toHaveLength(1);
});
