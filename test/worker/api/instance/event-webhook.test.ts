/** The event webhook in the settings, and what a test event shows: with a real receiver beside workerd. */
import { env } from 'cloudflare:workers';
import { beforeEach, expect, test } from 'vitest';
import { createDependencies } from '../../../../worker/context.ts';
import { createWebhookPosts } from '../../../../worker/gateways/webhook-posts.ts';
import { createClient, type Json, operatorToken } from '../../../support/worker/api.ts';
import {
  receivedAt,
  receiverUrl,
  setEventWebhook,
  verified,
} from '../../../support/worker/servers/webhook-receiver.ts';

const answerTimeoutMs = 3_000;
/** Whoever waits for an answer that never comes waits shorter here. */
const call = createClient({
  dependenciesOf: () => ({
    ...createDependencies(env),
    webhookPosts: createWebhookPosts((input, init) => fetch(input, init), answerTimeoutMs),
  }),
});
const change = (body: Json) => call('PATCH', '/api/system/settings', { token: operatorToken, body });
const read = async () => (await call('GET', '/api/system/settings', { token: operatorToken })).body.settings;
const tryOut = () => call('POST', '/api/system/settings/event-webhook/test', { token: operatorToken });
const url = 'https://hooks.example.com/longshore?to=ops';
const ownSecret = `whsec_${btoa('abcdefghijklmnopqrstuvwx')}`;

beforeEach(() => env.DB.prepare('delete from settings').run());

test('a secret is generated, shown once, and stored nowhere in the clear', async () => {
  const { status, body } = await change({ eventWebhook: { url } });
  expect([status, body.settings.eventWebhook]).toEqual([200, { url }]);
  expect(body.eventWebhookSecret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(await read()).toMatchObject({ eventWebhook: { url }, allowPrivateEventWebhook: false });
  const other = await change({ auditDays: 30 });
  const { results } = await env.DB.prepare('select * from settings').all();
  const kept = JSON.stringify([results, await read(), other.body]);
  expect(kept).toContain('eventWebhookSecret');
  expect(kept).not.toContain(body.eventWebhookSecret.slice('whsec_'.length, -1));
});

test('a secret that the client gives is not shown, and signs the events', async () => {
  const receiver = receiverUrl();
  const reply = await change({
    allowPrivateEventWebhook: true,
    eventWebhook: { url: receiver, secret: ownSecret },
  });
  expect(reply.text).not.toContain(ownSecret);
  await tryOut();
  for (const one of await receivedAt(receiver)) expect(verified(ownSecret, one)).toBeDefined();
  expect(await receivedAt(receiver)).toHaveLength(1);
});

test('the secret stays when only the address changes, and is a new one after the webhook was removed', async () => {
  const [first, second] = [receiverUrl(), receiverUrl()];
  const secret = await setEventWebhook(call, first);
  const moved = await change({ eventWebhook: { url: second } });
  expect(moved.body).not.toHaveProperty('eventWebhookSecret');
  await tryOut();
  const [delivery] = await receivedAt(second);
  expect(delivery && verified(secret, delivery).type).toBe('webhook.test');
  expect(await setEventWebhook(call, first)).not.toBe(secret);
});

test('a secret that can no longer be opened is replaced by a new one', async () => {
  await change({ eventWebhook: { url } });
  await env.DB.prepare(`update settings set value = '"v1.x.y"' where name = 'eventWebhookSecret'`).run();
  expect((await change({ eventWebhook: { url } })).body.eventWebhookSecret).toMatch(/^whsec_/);
});

test.each<[string, Json, string]>([
  ['no URL', { secret: ownSecret }, '"eventWebhook.url" is missing'],
  ['no URL at all', { url: 'ops' }, '"eventWebhook.url" must be an https URL'],
  ['another scheme', { url: 'file:///etc/passwd' }, '"eventWebhook.url" must be an https URL'],
  ['plain http', { url: 'http://hooks.example.com/' }, 'must start with https://'],
  ['a password', { url: 'https://a:b@hooks.example.com/' }, 'without user, password and fragment'],
  ['a fragment', { url: 'https://hooks.example.com/#x' }, 'without user, password and fragment'],
  ['an unknown field', { url, token: 'x' }, '"eventWebhook.token" does not exist'],
  ['a secret of another form', { url, secret: 'secret' }, '"eventWebhook.secret" must be "whsec_"'],
  ['a secret that is too short', { url, secret: `whsec_${btoa('short')}` }, '24 to 64 bytes'],
  ...['127.0.0.1', '[::1]', '[::ffff:10.0.0.1]', '2130706433', '169.254.169.254', 'nas', 'a.internal'].map(
    (host): [string, Json, string] => [
      `the private address ${host}`,
      { url: `https://${host}/` },
      '"eventWebhook.url" must not point to a private address',
    ],
  ),
])('%s: 400 with a sentence that says so', async (_, eventWebhook, words) => {
  const reply = await change({ eventWebhook, auditDays: 7 });
  expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request']);
  expect(reply.body.error).toContain(words);
  expect(await read()).toMatchObject({ eventWebhook: null, auditDays: 365 });
});

test('a test event is signed by the standard, and the answer contains the status', async () => {
  const receiver = receiverUrl();
  const secret = await setEventWebhook(call, receiver);
  expect((await tryOut()).body).toEqual({
    result: {
      ok: true,
      status: 204,
      detail: 'The receiver accepted the event (HTTP 204).',
      durationMs: expect.any(Number),
    },
  });
  const [delivery, ...more] = await receivedAt(receiver);
  expect(more).toEqual([]);
  expect(delivery && verified(secret, delivery)).toEqual({
    id: delivery?.headers['webhook-id'],
    type: 'webhook.test',
    createdAt: expect.stringMatching(/Z$/),
    tenantId: null,
    projectId: null,
    serviceId: null,
    resourceId: null,
    trigger: null,
    startedBy: null,
    summary: 'This is a test of the event webhook. No action is needed.',
    error: null,
  });
  expect(delivery?.headers['content-type']).toBe('application/json');
});

test.each([
  ['an error', 'status/500', 500, 'The receiver answered with HTTP 500.'],
  ['a refusal', 'status/401', 401, 'The receiver answered with HTTP 401.'],
  [
    'a redirect, which is not followed',
    'redirect',
    302,
    'a redirect (HTTP 302), and redirects are not followed',
  ],
  ['silence', 'silent', null, `The receiver did not answer within ${answerTimeoutMs / 1000} s.`],
])('a test event reports %s', { tags: 'slow' }, async (_, behaviour, status, words) => {
  const receiver = receiverUrl(behaviour);
  await setEventWebhook(call, receiver);
  const { result } = (await tryOut()).body;
  expect(result).toMatchObject({ ok: false, status, detail: expect.stringContaining(words) });
  expect(await receivedAt(receiver)).toHaveLength(1);
  expect(await receivedAt(new URL('/elsewhere', receiver).href)).toEqual([]);
});

test('a test event reports that no server answers', async () => {
  await setEventWebhook(call, 'http://127.0.0.1:1/');
  const { result } = (await tryOut()).body;
  expect(result).toMatchObject({ ok: false, status: null });
  expect(result.detail).toContain('could not be reached');
});

test('a test event without a webhook is 409 with how to set one', async () => {
  const reply = await tryOut();
  expect([reply.status, reply.body.code]).toEqual([409, 'conflict']);
  expect(reply.body.error).toContain('PATCH /api/system/settings');
});

test('an address that is no longer allowed gets nothing', async () => {
  const receiver = receiverUrl();
  await setEventWebhook(call, receiver);
  await change({ allowPrivateEventWebhook: false });
  const reply = await tryOut();
  expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining('must start with https')]);
  expect(await receivedAt(receiver)).toEqual([]);
});
