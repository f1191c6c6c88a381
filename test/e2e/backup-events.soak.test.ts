/** What goes wrong with backups reaches the event webhook: through the real Worker and its cron, of a real database on a host that can go away. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseCalls } from '../support/instance/database-calls.ts';
import type { Json } from '../support/instance/longshore.ts';
import { type SecondRunner, startSecondRunner } from '../support/instance/second-runner.ts';
import { changeStoppedRows, filesOfInstance } from '../support/instance/stopped-rows.ts';
import { useInstance } from '../support/instance/use-instance.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/servers/webhook-receiver.ts';

/** The control plane's cron runs every minute: one begins the backup or gives it up, the next one tells. */
const receivedWithinMs = 240_000;
const dayMs = 86_400_000;
const longshore = useInstance();
const { operate } = longshore;
let host: SecondRunner;
let receiver: WebhookReceiver;
let service: Json;
let secret: string;
const { ask, listed } = databaseCalls(longshore, () => service);

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  host = await startSecondRunner(longshore);
  const project = await longshore.newProject('Shop');
  service = await longshore.newDatabase('postgres', { runnerId: host.runnerId }, project);
});

afterAll(async () => {
  await host?.remove();
  await receiver?.close();
});

const verified = new WeakMap<object, Json>();

/** The events that came there, as the specification's own library reads them: once each, because it refuses what is five minutes old. */
const received = (path: string): Json[] =>
  receiver.received
    .filter((one) => one.path === path)
    .map((one) => {
      const event = verified.get(one) ?? new Webhook(secret).verify(one.body, one.headers);
      verified.set(one, event);
      return event;
    });

const eventAt = async (path: string): Promise<Json> => {
  await expect.poll(() => received(path), { timeout: receivedWithinMs, interval: 500 }).toHaveLength(1);
  return received(path)[0];
};

test('a webhook gets a secret that is shown once, and its test event arrives', async () => {
  const { settings, eventWebhookSecret } = await operate('PATCH', '/api/system/settings', {
    allowPrivateEventWebhook: true,
    eventWebhook: { url: `${receiver.url}/first` },
  });
  secret = eventWebhookSecret;
  expect(settings.eventWebhook).toEqual({ url: `${receiver.url}/first` });
  const { result } = await operate('POST', '/api/system/settings/event-webhook/test');
  expect(result).toMatchObject({ ok: true, status: 204 });
  expect(received('/first')).toMatchObject([{ type: 'webhook.test', tenantId: null }]);
  await operate('PATCH', '/api/system/settings', { eventWebhook: { url: `${receiver.url}/failed` } });
});

test(
  'a failed scheduled backup sends an event with its reason, and is in the audit log',
  async () => {
    const folder = join(host.root, 'backups', service.id);
    await mkdir(dirname(folder), { recursive: true });
    await writeFile(folder, 'a file in place of the folder: a stopped database would be started again');
    await ask('PATCH', '/backups/settings', { automaticEnabled: true, dailyEnabled: true });
    const event = await eventAt('/failed');
    const backup = await listed(event.resourceId);
    expect(backup).toMatchObject({ status: 'failed', trigger: 'daily' });
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'backup.failed',
      createdAt: backup.finishedAt,
      tenantId: 'default',
      projectId: service.projectId,
      serviceId: service.id,
      resourceId: backup.id,
      trigger: 'daily',
      startedBy: { type: 'schedule', id: null, name: null },
      summary: 'The daily backup of db (project Shop) failed.',
      error: backup.error,
    });
    const { entries } = await operate('GET', '/api/system/audit?actor=system');
    const recorded = { route: 'backup.failed', resourceId: backup.id };
    expect(entries).toEqual(expect.arrayContaining([expect.objectContaining(recorded)]));
    const delivered = { id: event.id, delivery: 'delivered', lastFailure: null };
    await expect
      .poll(async () => (await operate('GET', '/api/system/events')).events)
      .toEqual(expect.arrayContaining([expect.objectContaining(delivered)]));
  },
  2 * receivedWithinMs,
);

test(
  'a backup that waits a day for a missing host sends an event',
  async () => {
    await host.stop();
    await operate('PATCH', '/api/system/settings', { eventWebhook: { url: `${receiver.url}/gone` } });
    const { backup } = await ask('POST', '/backups', { storage: 'disk' });
    await longshore.stop();
    await ageJob(service.id);
    await longshore.start();
    expect(await eventAt('/gone')).toMatchObject({
      type: 'backup.failed',
      resourceId: backup.id,
      trigger: 'manual',
      startedBy: { type: 'key', name: 'npm start' },
      error: 'The backup waited 24 h for its host and was cancelled.',
    });
    expect(await listed(backup.id)).toMatchObject({ status: 'failed' });
  },
  2 * receivedWithinMs,
);

test('each event arrives once, and the secret is in no file of the instance in the clear, logs included', async () => {
  const ids = ['/first', '/failed', '/gone'].flatMap((path) => received(path).map(({ id }) => id));
  expect(ids.length).toBeGreaterThanOrEqual(3);
  expect(new Set(ids).size).toBe(ids.length);
  const files = await filesOfInstance(longshore);
  const all = (await Promise.all(files.map((file) => readFile(file, 'latin1')))).join('\n');
  expect(all, 'the database is among them').toContain('eventWebhookSecret');
  expect(all).not.toContain(secret.slice('whsec_'.length, -1));
});

/** The waiting job of a service has waited for more than a day: in the rows of the control plane, which is stopped. */
async function ageJob(serviceId: string): Promise<void> {
  const statement = "update jobs set queued_at = queued_at - ? where service_id = ? and state = 'queued'";
  expect(await changeStoppedRows(longshore, { table: 'jobs', statement }, dayMs, serviceId)).toBe(1);
}
