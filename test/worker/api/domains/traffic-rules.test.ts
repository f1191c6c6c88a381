/** Traffic rules through the API: what is accepted, what the host is told, and that no password comes back. */
import { env } from 'cloudflare:workers';
import { expect, test } from 'vitest';
import { insertProject, insertRunner, insertService } from '../../../support/worker/api.ts';
import { answerNames, connectedHost, domainClient, newName } from '../../../support/worker/domains.ts';

const { call, token, add } = await domainClient();
const path = (id: string) => `/api/services/${id}/traffic-rules`;
const put = (id: string, body: unknown) => call('PUT', path(id), { token, body });
const project = await insertProject();
const modern = await insertRunner();
const place = { projectId: project.id, runnerId: modern.id };
const password = 'a password of many letters';

test('rules are sent to the host at once with a revision, and read back as a body that sets them again, without passwords', async () => {
  const { runner, service } = await connectedHost();
  const body = {
    redirects: [{ fromPath: '/old', to: '/new', permanent: true }],
    basicAuth: { users: [{ user: 'team', password }], openPaths: ['/hook'] },
    maintenance: { allowedAddresses: ['192.0.2.0/24', '2001:db8::1'] },
    responseHeaders: [{ change: 'set', header: 'X-Frame-Options', content: 'DENY' }],
    maxBodyMegabytes: 10,
    idleTimeoutSeconds: 60,
  };
  const [reply, task] = await Promise.all([put(service.id, body), answerNames(runner)]);
  expect(reply.body.proxy).toEqual({ ok: true, detail: 'answered' });
  expect(task).toMatchObject({
    revision: 1,
    changed: [service.generatedHostname],
    rules: {
      redirects: [{ domains: [], path: '/old', match: 'prefix', to: '/new', status: 308, keepPath: true }],
      basicAuth: {
        users: [{ name: 'team', hash: expect.stringMatching(/^100000:[\w+/=]{24}:[\w+/=]{44}$/) }],
      },
      maxBodyMegabytes: 10,
      firstByteTimeoutSeconds: null,
      idleTimeoutSeconds: 60,
    },
  });
  const read = await call('GET', path(service.id), { token });
  expect(read.body.rules).toEqual(reply.body.rules);
  expect(JSON.stringify([reply.body, read.body])).not.toMatch(/many letters|100000:/);
  const row = await env.DB.prepare('select traffic_rules from services where id = ?')
    .bind(service.id)
    .first();
  expect(JSON.stringify(row)).not.toContain('many letters');
  // The hash of a user without a new password stays.
  const [again, same] = await Promise.all([put(service.id, read.body.rules), answerNames(runner)]);
  expect([again.status, same.rules]).toEqual([200, task.rules]);
  const [cleared, last] = await Promise.all([put(service.id, {}), answerNames(runner)]);
  expect([cleared.status, last.rules, last.revision]).toEqual([200, undefined, 3]);
});

test('redirects in a circle are refused with the chain; one that leads to its own URL is simply not applied', async () => {
  const { runner, service } = await connectedHost();
  const [apex, www] = [newName('localhost'), newName('localhost')];
  for (const name of [apex, www]) await Promise.all([add(service.id, name), answerNames(runner)]);
  const both = [
    { domains: [www], to: `https://${apex}` },
    { domains: [apex], to: `https://${www}` },
  ];
  const refused = await put(service.id, { redirects: both });
  expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  expect(refused.body.error).toContain(`https://${www}/ -> https://${apex}/ -> https://${www}/`);
  const growing = await put(service.id, { redirects: [{ fromPath: '/a', to: '/a/b' }] });
  expect(growing.body.error).toContain('/a/b/b');
  const [toApex] = await Promise.all([
    put(service.id, { redirects: [{ to: `https://${apex}` }] }),
    answerNames(runner),
  ]);
  expect(toApex.status).toBe(200);
});

const header = (name: string, content = 'x') => ({
  responseHeaders: [{ change: 'set', header: name, content }],
});
test.each([
  ['a header of the connection', header('Transfer-Encoding'), 'responseHeaders[0].header'],
  ["the platform's own header", header('X-Longshore-Answer'), 'responseHeaders[0].header'],
  ['a forwarding header', header('x-forwarded-for'), 'responseHeaders[0].header'],
  ['a line break in a value', header('X-A', 'a\r\nSet-Cookie: b=c'), 'responseHeaders[0].content'],
  [
    'a value for a removal',
    { requestHeaders: [{ change: 'remove', header: 'X-A', content: 'x' }] },
    'content',
  ],
  ['a short password', { basicAuth: { users: [{ user: 'a', password: 'short' }] } }, 'password'],
  ['a new user without a password', { basicAuth: { users: [{ user: 'a' }] } }, 'basicAuth.users'],
  ['an address that is none', { maintenance: { allowedAddresses: ['1.2.3'] } }, 'allowedAddresses'],
  ['a script as target', { redirects: [{ to: 'javascript:alert(1)' }] }, 'redirects[0].to'],
  ['a target with credentials', { redirects: [{ to: 'https://a:b@c.example' }] }, 'redirects[0].to'],
  ['a protocol-relative target', { redirects: [{ to: '//evil.example' }] }, 'redirects[0].to'],
  [
    "another service's name",
    { redirects: [{ domains: ['a.example.com'], to: '/' }] },
    'redirects[0].domains',
  ],
  ['a size in between', { maxBodyMegabytes: 7 }, 'maxBodyMegabytes'],
  ['an idle time in between', { idleTimeoutSeconds: 45 }, 'idleTimeoutSeconds'],
  [
    'an idle time that is shorter than the time of the first byte',
    { firstByteTimeoutSeconds: 60, idleTimeoutSeconds: 60 },
    'firstByteTimeoutSeconds',
  ],
])('%s is refused with the field', async (_what, body, field) => {
  const service = await insertService(place);
  const reply = await put(service.id, body);
  expect([reply.status, reply.body.error]).toEqual([400, expect.stringContaining(field)]);
});

test('workers take no rules', async () => {
  const worker = await insertService({ ...place, runtimeMode: 'worker' });
  expect((await put(worker.id, {})).body.code).toBe('unsupported');
});

test('rules that were stored before there were idle times are read as a body that sets them again', async () => {
  const service = await insertService(place);
  await put(service.id, { maxBodyMegabytes: 5 });
  await env.DB.prepare(
    "update services set traffic_rules = json_remove(traffic_rules, '$.idleTimeoutSeconds') where id = ?",
  )
    .bind(service.id)
    .run();
  const { rules } = (await call('GET', path(service.id), { token })).body;
  expect(rules).toMatchObject({ maxBodyMegabytes: 5, idleTimeoutSeconds: null });
});
