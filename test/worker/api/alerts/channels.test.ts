/** Notification channels: stored sealed, never shown, one tenant's own; with a real receiver beside workerd. */
import { env } from 'cloudflare:workers';
import { beforeEach, expect, test } from 'vitest';
import { notificationChannels } from '../../../../worker/store/schema/events.ts';
import { createClient, deps, insertKey, insertTenant, operatorToken } from '../../../support/worker/api.ts';
import { receivedAt, receiverUrl } from '../../../support/worker/servers/webhook-receiver.ts';

const call = createClient();
const { token } = await insertKey();
const path = '/api/notification-channels';
const url = 'https://hooks.slack.com/services/T0/B0/hunter2';
const post = (body: object, by = token) => call('POST', path, { token: by, body });
const created = async (body: object) => (await post(body)).body.channel;

beforeEach(async () => {
  await env.DB.batch(
    ['notification_channels', 'settings'].map((name) => env.DB.prepare(`delete from ${name}`)),
  );
});

test('a channel is stored sealed, listed without its secret, changed and deleted', async () => {
  const channel = await created({ name: 'ops', slack: { url } });
  expect(channel).toMatchObject({
    id: expect.stringMatching(/^nch_/),
    ...{
      name: 'ops',
      kind: 'slack',
      target: 'hooks.slack.com',
      projectId: null,
      quietHours: null,
      enabled: true,
    },
    events: expect.arrayContaining(['deployment.failed', 'deployment.recovered', 'backup.failed']),
  });
  expect(channel.events).not.toContain('service.deleted');
  expect((await call('GET', path, { token })).body).toEqual({ channels: [channel] });
  expect(JSON.stringify(await deps.db.select().from(notificationChannels))).not.toContain('hunter2');
  const one = `${path}/${channel.id}`;
  const quietHours = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' };
  const changed = await call('PATCH', one, {
    token,
    body: { events: ['*', '*'], quietHours, enabled: false },
  });
  expect(changed.body.channel).toMatchObject({ name: 'ops', events: ['*'], quietHours, enabled: false });
  const moved = await call('PATCH', one, {
    token,
    body: { slack: { url: 'https://chat.example.com/hooks/1' } },
  });
  expect(moved.body.channel).toMatchObject({ target: 'chat.example.com', events: ['*'] });
  const telegram = { botToken: '1:hunter2', chatId: '@ops' };
  const other = await call('PATCH', one, { token, body: { telegram } });
  expect(other.body.channel).toMatchObject({ kind: 'telegram', target: '@ops', events: ['*'] });
  expect((await call('DELETE', one, { token })).body).toEqual({ ok: true });
  expect((await call('GET', path, { token })).body).toEqual({ channels: [] });
});

test('a name that is taken and a private address are refused, and nothing changes', async () => {
  const first = await created({ name: 'ops', slack: { url } });
  await created({ name: 'dev', slack: { url } });
  const taken = 'There is a notification channel with the name "ops": take another name.';
  expect((await post({ name: 'ops', discord: { url } })).body.error).toBe(taken);
  const byPatch = await call('PATCH', `${path}/${first.id}`, { token, body: { name: 'dev' } });
  expect([byPatch.status, byPatch.body.error]).toEqual([409, taken.replace('ops', 'dev')]);
  for (const address of ['https://127.0.0.1/hook', 'https://[::1]/hook', 'http://hooks.example.com/']) {
    const reply = await post({ name: 'inside', slack: { url: address } });
    expect([reply.status, reply.body.error]).toEqual([
      400,
      expect.stringContaining('The field "slack.url" must'),
    ]);
  }
  expect((await call('GET', path, { token })).body.channels).toHaveLength(2);
});

test("another tenant and a project's key see no channel and reach none", async () => {
  const { id } = await created({ name: 'ops', slack: { url } });
  const { project } = (await call('POST', '/api/projects', { token, body: { name: 'Shop' } })).body;
  const stranger = (await insertKey({ tenantId: await insertTenant('notified') })).token;
  const limited = (await insertKey({ projects: [project.id] })).token;
  expect((await call('GET', path, { token: stranger })).body).toEqual({ channels: [] });
  expect((await post({ name: 'x', slack: { url }, projectId: project.id }, stranger)).status).toBe(404);
  expect((await call('GET', path, { token: limited })).status).toBe(403);
  for (const by of [stranger, limited]) {
    expect((await call('POST', `${path}/${id}/test`, { token: by })).status).toBe(404);
    expect((await call('DELETE', `${path}/${id}`, { token: by })).status).toBe(404);
  }
});

test('private addresses that the operator allows are allowed in the default tenant only', async () => {
  await call('PATCH', '/api/system/settings', {
    token: operatorToken,
    body: { allowPrivateEventWebhook: true },
  });
  const inside = { name: 'inside', slack: { url: 'http://10.0.0.7:8500/hook' } };
  const stranger = (await insertKey({ tenantId: await insertTenant('inside') })).token;
  expect([(await post(inside)).status, (await post(inside, stranger)).status]).toEqual([200, 400]);
});

test('a test message reaches the receiver at once, and its refusal is shown', async () => {
  await call('PATCH', '/api/system/settings', {
    token: operatorToken,
    body: { allowPrivateEventWebhook: true },
  });
  const address = receiverUrl();
  const works = await created({ name: 'ops', slack: { url: address } });
  const gone = await created({ name: 'gone', discord: { url: receiverUrl('status/404') } });
  const tryOut = async (id: string) => (await call('POST', `${path}/${id}/test`, { token })).body.result;
  expect(await tryOut(works.id)).toMatchObject({ ok: true, status: 204 });
  expect(JSON.parse((await receivedAt(address))[0]?.body ?? '').text).toBe(
    'This is a test of this channel. No action is needed.',
  );
  expect(await tryOut(gone.id)).toMatchObject({
    ...{ ok: false, status: 404, detail: 'The receiver answered with HTTP 404.' },
  });
});
