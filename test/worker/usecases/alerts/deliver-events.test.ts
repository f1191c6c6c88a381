/** The outbox of the event webhook over an injected clock, with a real receiver beside workerd. */
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { createDependencies } from '../../../../worker/context.ts';
import { retryWaitsMs } from '../../../../worker/domain/alerts/events.ts';
import { createWebhookPosts } from '../../../../worker/gateways/webhook-posts.ts';
import { auditLog } from '../../../../worker/store/schema/audit.ts';
import { events } from '../../../../worker/store/schema/events.ts';
import { deliverEvents } from '../../../../worker/usecases/alerts/deliver-events.ts';
import { pruneRecords } from '../../../../worker/usecases/instance/prune-records.ts';
import { createClient, deps, operatorToken } from '../../../support/worker/api.ts';
import {
  receivedAt,
  receiverUrl,
  setEventWebhook,
  verified,
} from '../../../support/worker/servers/webhook-receiver.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** The specification's library takes what was signed within five minutes. */
const start = Date.now();
const call = createClient();

beforeEach(async () => {
  await env.DB.batch(
    ['events', 'audit_log', 'settings'].map((name) => env.DB.prepare(`delete from ${name}`)),
  );
});

async function insertEvent(createdAt = start, serviceId = 'svc_x'): Promise<string> {
  const id = deps.newId('event');
  await deps.db.insert(events).values({
    id,
    type: 'backup.failed',
    tenantId: 'default',
    projectId: 'prj_x',
    projectName: 'Shop',
    serviceId,
    serviceName: 'db',
    resourceId: 'bak_x',
    trigger: 'daily',
    error: 'The disk is full.',
    nextAttemptAt: createdAt,
    createdAt,
  });
  return id;
}

/** Cron of this moment. @returns how many events it tried */
const deliverAt = (now: number, timeLimitMs = 10_000) =>
  deliverEvents({
    ...createDependencies(env),
    webhookPosts: createWebhookPosts((input, init) => fetch(input, init), timeLimitMs),
    now: () => now,
  });

async function nextAttempt(id: string): Promise<number | null> {
  const [event] = await deps.db.select().from(events).where(eq(events.id, id));
  return event?.nextAttemptAt ?? null;
}

const listed = async () => (await call('GET', '/api/system/events', { token: operatorToken })).body.events;
const systemEntries = () => deps.db.select().from(auditLog).where(eq(auditLog.actor, 'system'));

test('an event is delivered once, signed, with all its fields', async () => {
  const url = receiverUrl();
  const secret = await setEventWebhook(call, url);
  const id = await insertEvent();
  expect([await deliverAt(start), await deliverAt(start), await deliverAt(start + dayMs)]).toEqual([1, 0, 0]);
  const [delivery, ...more] = await receivedAt(url);
  expect(more).toEqual([]);
  expect(delivery && verified(secret, delivery)).toEqual({
    id,
    type: 'backup.failed',
    createdAt: new Date(start).toISOString(),
    tenantId: 'default',
    projectId: 'prj_x',
    serviceId: 'svc_x',
    resourceId: 'bak_x',
    trigger: 'daily',
    startedBy: null,
    summary: 'The daily backup of db (project Shop) failed.',
    error: 'The disk is full.',
  });
  expect(delivery?.headers['webhook-id']).toBe(id);
  expect(await listed()).toMatchObject([
    { id, delivery: 'delivered', attempts: 1, nextAttemptAt: null, lastFailure: null },
  ]);
});

test('simultaneous runs never send the same event twice', async () => {
  const url = receiverUrl();
  await setEventWebhook(call, url);
  const ids = await Promise.all(Array.from({ length: 8 }, () => insertEvent()));
  const tried = await Promise.all([deliverAt(start), deliverAt(start), deliverAt(start), deliverAt(start)]);
  expect(tried.reduce((sum, count) => sum + count, 0)).toBe(8);
  const received = (await receivedAt(url)).map(({ headers }) => headers['webhook-id']);
  expect(received.toSorted()).toEqual(ids.toSorted());
});

test('an event that is not accepted is resent less and less often with the same id, and given up after a day in the audit log', async () => {
  const url = receiverUrl('status/503');
  await setEventWebhook(call, url);
  const id = await insertEvent();
  const attempts: number[] = [];
  for (let due = await nextAttempt(id); due !== null; due = await nextAttempt(id)) {
    attempts.push(due);
    expect([await deliverAt(due - 1), await deliverAt(due)]).toEqual([0, 1]);
  }
  expect(await deliverAt(start + 2 * dayMs)).toBe(0);
  const waits = attempts.slice(1).map((moment, index) => moment - (attempts[index] ?? 0));
  expect(waits.slice(0, retryWaitsMs.length)).toEqual(retryWaitsMs);
  expect((attempts.at(-1) ?? 0) - start).toBeLessThan(dayMs);
  const received = await receivedAt(url);
  expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(attempts.map(() => id));
  expect(new Set(received.map(({ body }) => body)).size).toBe(1);
  expect(await listed()).toMatchObject([
    {
      id,
      delivery: 'undelivered',
      attempts: attempts.length,
      lastFailure: 'The receiver answered with HTTP 503.',
    },
  ]);
  expect(await systemEntries()).toMatchObject([
    { route: 'event.undelivered backup.failed', tenantId: 'default', resourceId: id, status: 504 },
  ]);
});

test('a receiver that never answers delays no other event: a few are sent at the same time', {
  tags: 'slow',
}, async () => {
  const url = receiverUrl('silent');
  await setEventWebhook(call, url);
  for (let count = 0; count < 7; count++) await insertEvent(start, `svc_${count}`);
  expect([await deliverAt(start, 2_000), await deliverAt(start, 2_000)]).toEqual([7, 0]);
  expect(await receivedAt(url)).toHaveLength(7);
  const failures = (await listed()).map(({ lastFailure }: { lastFailure: string }) => lastFailure);
  expect(new Set(failures)).toEqual(new Set(['The receiver did not answer within 2 s.']));
});

test('events of one cause come in their order, each after the one before was taken, and other causes do not wait', {
  tags: 'slow',
}, async () => {
  await setEventWebhook(call, receiverUrl('status/500'));
  const first = await insertEvent();
  expect(await deliverAt(start)).toBe(1);
  const [second, third, other] = [
    await insertEvent(),
    await insertEvent(),
    await insertEvent(start, 'svc_y'),
  ];
  const back = receiverUrl();
  await call('PATCH', '/api/system/settings', {
    token: operatorToken,
    body: { eventWebhook: { url: back } },
  });
  const taken = async () => (await receivedAt(back)).map(({ headers }) => headers['webhook-id']);
  await deliverAt(start);
  expect(await taken()).toEqual([other]);
  await deliverAt(start + (retryWaitsMs[0] ?? 0));
  expect(await taken()).toEqual([other, first, second, third]);
});

test('a run that died after its claim is repeated by the next one that is due', async () => {
  const url = receiverUrl();
  await setEventWebhook(call, url);
  const id = await insertEvent();
  const dying = { ...createDependencies(env), now: () => start };
  const post = () => Promise.reject(new Error('the isolate is gone'));
  await expect(deliverEvents({ ...dying, webhookPosts: { post } })).rejects.toThrow('the isolate is gone');
  expect(await deliverAt(start)).toBe(0);
  expect(await deliverAt(start + (retryWaitsMs[0] ?? 0))).toBe(1);
  expect((await receivedAt(url)).map(({ headers }) => headers['webhook-id'])).toEqual([id]);
});

test('an address that is no longer allowed, or a secret that does not open, is recorded as the reason', async () => {
  const url = receiverUrl();
  await setEventWebhook(call, url);
  await insertEvent();
  const allow = (allowPrivateEventWebhook: boolean) =>
    call('PATCH', '/api/system/settings', { token: operatorToken, body: { allowPrivateEventWebhook } });
  await allow(false);
  await deliverAt(start);
  expect((await listed())[0].lastFailure).toContain('allowPrivateEventWebhook');
  await allow(true);
  await env.DB.prepare(`update settings set value = '"v1.x.y"' where name = 'eventWebhookSecret'`).run();
  await deliverAt(start + 5 * minuteMs);
  expect((await listed())[0]).toMatchObject({
    attempts: 2,
    lastFailure: expect.stringContaining("can't be decrypted"),
  });
  expect(await receivedAt(url)).toEqual([]);
});

test('events are removed after 30 days', async () => {
  await insertEvent(start - 31 * dayMs);
  const kept = await insertEvent(start - 29 * dayMs);
  await pruneRecords({ ...deps, now: () => start });
  expect((await listed()).map(({ id }: { id: string }) => id)).toEqual([kept]);
});
