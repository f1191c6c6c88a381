/** Hosts that are away: one event when they are, and one when they are back, for everybody who has something on them. */
import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { auditLog } from '../../../../worker/store/schema/audit.ts';
import { alerts, events } from '../../../../worker/store/schema/events.ts';
import { runners } from '../../../../worker/store/schema/runners.ts';
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
  operatorToken,
} from '../../../support/worker/api.ts';

const call = createClient();
const minuteMs = 60_000;
const gone = Date.UTC(2026, 10, 24, 9, 30);

beforeEach(async () => {
  const tables = ['alerts', 'events', 'notification_channels', 'settings', 'audit_log'];
  await env.DB.batch(tables.map((name) => env.DB.prepare(`delete from ${name}`)));
  await env.DB.prepare('update runners set disconnected_at = null').run();
});

const set = (id: string, values: Partial<typeof runners.$inferInsert>) =>
  deps.db.update(runners).set(values).where(eq(runners.id, id));
const watchAt = (minutes: number) => watchHosts({ ...deps, now: () => gone + minutes * minuteMs });
const raised = async () =>
  (await deps.db.select().from(events)).map(({ type, tenantId, error }) => [type, tenantId, error]);

async function newChannel(tenantId: string) {
  const { token } = await insertKey({ tenantId });
  const body = { name: 'ops', slack: { url: 'https://hooks.slack.com/services/x' } };
  const { channel } = (await call('POST', '/api/notification-channels', { token, body })).body;
  const path = `/api/notification-channels/${channel.id}/notifications`;
  return async (): Promise<string[]> => {
    const { notifications } = (await call('GET', path, { token })).body;
    return notifications.map(({ summary }: { summary: string }) => summary).sort();
  };
}

test('a host that is away for five minutes is reported once to its owner and to each tenant on it, and so is its return', {
  tags: 'slow',
}, async () => {
  const runner = await insertRunner();
  await set(runner.id, { name: 'falcon', connectedAt: null, disconnectedAt: gone, shared: true });
  const guest = await insertTenant('guest');
  const project = await insertProject({ tenantId: guest });
  for (let count = 0; count < 2; count++) await insertService({ projectId: project.id, runnerId: runner.id });
  const stranger = await newChannel(await insertTenant('stranger'));
  const [owner, other] = [await newChannel('default'), await newChannel(guest)];
  await watchAt(5);
  expect(await raised()).toEqual([]);
  for (const minutes of [6, 7]) await watchAt(minutes);
  const away = 'It has not been connected since 2026-11-24 09:30 UTC.';
  const expected = [
    ['host.away', 'default', away],
    ['host.away', guest, away],
  ];
  expect((await raised()).sort()).toEqual(expected.sort());
  const ids = (await deps.db.select().from(events)).map(({ id }) => id);
  // Each begins with the mark of the installation.
  expect(ids).toEqual(ids.map(() => expect.stringMatching(new RegExp(`^evt_${deps.cell}[a-z0-9]{14}$`))));
  await set(runner.id, { connectedAt: gone + 8 * minuteMs, disconnectedAt: null });
  for (const minutes of [9, 10]) await watchAt(minutes);
  const both = ['The host falcon is connected again.', 'The host falcon is not connected.'];
  expect([await owner(), await other(), await stranger()]).toEqual([both, both, []]);
  const entries = await deps.db.select().from(auditLog).where(eq(auditLog.actor, 'system'));
  expect(entries.map(({ route, resourceId }) => [route, resourceId])).toEqual([
    ['host.away', runner.id],
    ['host.returned', runner.id],
  ]);
});

test('a host that was revoked, and one that was never connected, are not reported', async () => {
  const [revoked, fresh] = [await insertRunner(), await insertRunner()];
  await set(revoked.id, { connectedAt: null, disconnectedAt: gone, revokedAt: gone });
  await set(fresh.id, { connectedAt: null, disconnectedAt: null });
  await newChannel('default');
  await watchAt(60);
  expect(await raised()).toEqual([]);
});

test('a host that is away is an alert, which is listed, acknowledged and silenced, and ends with its return', async () => {
  const runner = await insertRunner();
  await set(runner.id, { name: 'osprey', connectedAt: null, disconnectedAt: gone });
  await newChannel('default');
  const { token } = await insertKey();
  const open = async (): Promise<Json[]> =>
    (await call('GET', '/api/alerts?state=open', { token })).body.alerts;
  const change = (id: string, body: Json) => call('PATCH', `/api/alerts/${id}`, { token, body });
  await watchAt(6);
  const [alert] = await open();
  expect(alert).toMatchObject({ rule: 'hostAway', name: 'osprey', runnerId: runner.id, serviceId: null });
  expect((await change(alert?.id, { acknowledged: true })).body.alert.acknowledgedAt).not.toBeNull();
  const silencedUntil = new Date(Date.now() + 60 * minuteMs).toISOString();
  expect((await change(alert?.id, { silencedUntil })).status).toBe(200);
  await set(runner.id, { connectedAt: gone + 8 * minuteMs, disconnectedAt: null });
  await watchAt(9);
  expect([await open(), (await raised()).map(([type]) => type)]).toEqual([[], ['host.away']]);
  await set(runner.id, { connectedAt: null, disconnectedAt: gone + 10 * minuteMs });
  await watchAt(16);
  expect([(await open()).length, (await raised()).length]).toEqual([1, 1]);
});

test('a host that is revoked while it is away is no alert any more, and is not said to be back', async () => {
  const runner = await insertRunner();
  await set(runner.id, { connectedAt: null, disconnectedAt: gone });
  await newChannel('default');
  await watchAt(6);
  await set(runner.id, { revokedAt: gone + 7 * minuteMs });
  await watchAt(8);
  expect((await raised()).map(([type]) => type)).toEqual(['host.away']);
  expect((await deps.db.select().from(alerts)).filter(({ resolvedAt }) => resolvedAt === null)).toEqual([]);
});

test('the rule of hosts that are away can be switched off for the instance', async () => {
  const runner = await insertRunner();
  await set(runner.id, { connectedAt: null, disconnectedAt: gone });
  await newChannel('default');
  const change = (hostAway: boolean) =>
    call('PATCH', '/api/system/default-alerts', { token: operatorToken, body: { hostAway } });
  expect((await change(false)).status).toBe(200);
  await watchAt(6);
  expect(await raised()).toEqual([]);
  await change(true);
});
