/** Mails over SMTP: real connections from workerd to real servers, and to hostile ones. */
import { connect } from 'cloudflare:sockets';
import { sql } from 'drizzle-orm';
import { beforeEach, expect, inject, test } from 'vitest';
import { createMails } from '../../../../worker/gateways/smtp/mails.ts';
import { deliverNotifications } from '../../../../worker/usecases/alerts/deliver-notifications.ts';
import { mailPassword as password, type ReceivedMail } from '../../../support/mail.ts';
import { createClient, deps, insertKey, operatorToken } from '../../../support/worker/api.ts';

const { ports, receivedUrl } = inject('mail');
const timeLimitMs = { now: 20_000 };
const mails = {
  send: (...mail: Parameters<typeof deps.mails.send>) => createMails(connect, timeLimitMs.now).send(...mail),
};
const call = createClient({ dependenciesOf: () => ({ ...deps, mails }) });
const { token } = await insertKey();
const path = '/api/notification-channels';
const user = { username: 'longshore', password };
let count = 0;

beforeEach(async () => {
  timeLimitMs.now = 20_000;
  const body = { allowPrivateEventWebhook: true };
  await call('PATCH', '/api/system/settings', { token: operatorToken, body });
});

const receiver = (name = 'ada') => `${name}@${Date.now()}-${++count}.example.com`;
const receivedAt = async (to: string): Promise<ReceivedMail[]> =>
  (await fetch(`${receivedUrl}?to=${encodeURIComponent(to)}`)).json();

async function channel(server: object, to: string[]) {
  const smtp = { host: 'localhost', from: 'L\u00f6ngshore "ops" <ops@example.com>', to, ...server };
  const reply = await call('POST', path, { token, body: { name: `mail ${++count}`, smtp } });
  expect(reply.status, reply.text).toBe(200);
  return reply.body.channel;
}
const tested = async (server: object, to = [receiver()]) => {
  const { id } = await channel(server, to);
  return (await call('POST', `${path}/${id}/test`, { token })).body.result;
};

test.each([
  ['implicit TLS and AUTH LOGIN', { port: ports.tls, security: 'tls', ...user }, 'longshore'],
  ['STARTTLS and AUTH PLAIN', { port: ports.starttls, ...user }, 'longshore'],
  ['STARTTLS without a user', { port: ports.starttls, security: 'starttls' }, null],
])('a mail is delivered over %s, readable by others', async (_name, server, signedInAs) => {
  const to = receiver();
  expect(await tested(server, [to, receiver('bob')])).toMatchObject({ ok: true, status: 250 });
  const [mail, ...more] = await receivedAt(to);
  expect(more).toEqual([]);
  expect(mail).toMatchObject({ isEncrypted: true, user: signedInAs, from: 'ops@example.com' });
  expect(mail?.to).toHaveLength(2);
  expect(mail?.parsed).toMatchObject({
    from: { name: 'L\u00f6ngshore "ops"', address: 'ops@example.com' },
    subject: 'This is a test of this channel. No action is needed.',
    messageId: expect.stringMatching(/^<evt_\w+\.nch_\w+@example\.com>$/),
  });
});

test('a server without encryption is used only where the operator allows it, and gets no password', async () => {
  expect(await tested({ port: ports.plain, security: 'none' })).toMatchObject({ ok: true });
  const wrong = {
    host: 'localhost',
    port: ports.plain,
    security: 'none',
    ...user,
    from: 'a@example.com',
    to: ['b@example.com'],
  };
  const { body } = await call('POST', path, { token, body: { name: 'wrong', smtp: wrong } });
  expect(body.error).toContain('would send the password without encryption');
  expect(await tested({ port: ports.plain })).toMatchObject({
    ok: false,
    detail: expect.stringContaining('offers no STARTTLS'),
  });
});

test('a refusal is quoted with its code, without the password and control characters', async () => {
  const wrong = await tested({ port: ports.starttls, username: 'me', password: 'secret-7' });
  expect(wrong).toMatchObject({ ok: false, status: 535 });
  expect(wrong.detail).toBe('The mail server refused the user name or password (535 5.7.8 *** is wrong).');
  const refused = receiver('refused');
  expect((await tested({ port: ports.starttls }, [refused])).detail).toBe(
    `The mail server refused ${refused} (550 5.1.1 No such user).`,
  );
  expect(await tested({ port: ports.starttls }, [receiver('full')])).toMatchObject({
    ok: false,
    status: 452,
  });
  const ada = receiver();
  const some = await tested({ port: ports.starttls }, [refused, ada]);
  expect(some).toMatchObject({ ok: true, detail: expect.stringContaining(`It refused ${refused} (550`) });
  expect(await receivedAt(ada)).toHaveLength(1);
});

test.each([
  ['ssh', 'This server does not speak SMTP.'],
  ['endless', 'The mail server sent an answer without end.'],
  ['injecting', 'The mail server sent more than its answer before TLS began.'],
  ['silent', 'The mail server did not take the mail within 0.2 s.'],
] as const)('a server that is %s fails with a sentence', async (name, sentence) => {
  if (name === 'silent') timeLimitMs.now = 200;
  expect(await tested({ port: ports[name] })).toMatchObject({ ok: false, status: null, detail: sentence });
});

test('a notification that is sent again is the same mail, and says whom the server refused', async () => {
  const [ada, refused] = [receiver(), receiver('refused')];
  const { id } = await channel({ port: ports.starttls }, [ada, refused]);
  await deps.db.run(sql`insert into events (id, type, tenant_id, project_id, service_id, project_name, service_name, resource_id, created_at)
    values (${`evt_${id.slice(4)}`}, 'deployment.failed', 'default', 'prj_x', 'svc_x', 'Shop', 'w\u00e9b', 'dep_x', ${Date.now()})`);
  for (let attempt = 0; attempt < 2; attempt++) {
    await deps.db.run(
      sql`update notifications set next_attempt_at = iif(channel_id = ${id}, 0, null), delivered_at = null`,
    );
    expect(await deliverNotifications({ ...deps, mails })).toBe(1);
  }
  const both = await receivedAt(ada);
  expect(both.map(({ parsed }) => parsed.messageId)).toEqual(
    Array(2).fill(`<evt_${id.slice(4)}.${id}@example.com>`),
  );
  expect(both[0]?.parsed.subject).toBe('A deployment of w\u00e9b (project Shop) failed.');
  const { notifications } = (await call('GET', `${path}/${id}/notifications`, { token })).body;
  expect(notifications).toMatchObject([
    { delivery: 'delivered', lastFailure: expect.stringContaining(`It refused ${refused}`) },
  ]);
});

test('a server whose name does not exist is told in a sentence', async () => {
  const result = await tested({ host: 'mail.invalid' });
  expect(result).toMatchObject({
    ok: false,
    status: null,
    detail: expect.stringMatching(/could not be reached: check "host" and "port"/),
  });
});

test.each(['tls', 'starttls'] as const)(
  'a %s server whose certificate is for another name gets nothing, and the sentence says so',
  async (security) => {
    const to = receiver();
    const result = await tested({ host: '127.0.0.1', port: ports[security], security, ...user }, [to]);
    expect(result).toMatchObject({
      ok: false,
      status: null,
      detail: expect.stringMatching(/could not be reached: .* certificate is valid for 127\.0\.0\.1/),
    });
    expect(await receivedAt(to)).toEqual([]);
  },
);

test('a text of a service adds no header, no command and no end of the mail, and arrives whole', async () => {
  const to = receiver();
  const text = [
    '.',
    '..',
    '.\r\nQUIT',
    'From me',
    `${'\u{1f6a2}'.repeat(400)} `,
    '=20\t',
    'x'.repeat(2_000),
  ].join('\n');
  const server = { host: 'localhost', port: ports.starttls, security: 'starttls' } as const;
  const subject = `Ship \u{1f6a2}\r\nBcc: eve@example.com ${'\u00e4'.repeat(100)}`;
  const mail = { from: 'a@example.com', to: [to], subject, text, messageId: 'm@example.com', date: 0 };
  await mails.send(server, mail, false);
  const [got] = await receivedAt(to);
  expect(got?.parsed.text.replaceAll('\r\n', '\n').trimEnd()).toBe(text.replaceAll('\r\n', '\n'));
  expect(got?.parsed.subject).toBe(subject.replace('\r\n', ' '));
  expect(got?.to).toEqual([to]);
  expect(got?.raw).toMatch(/^[\r\n\x20-\x7e]*$/);
  for (const line of got?.raw.split('\r\n') ?? []) expect(line.length).toBeLessThanOrEqual(78);
});

test.each([
  [{ host: 'localhost' }, 'smtp.host'],
  [{ host: '0x7f.1' }, 'smtp.host'],
  [{ host: '[::1]' }, 'smtp.host'],
  [{ host: '2130706433' }, 'smtp.host'],
  [{ host: 'smtp.example.com', port: 25 }, 'smtp.port'],
  [{ host: 'smtp.example.com', port: 6379 }, 'smtp.port'],
  [{ host: 'smtp.example.com', security: 'none' }, 'smtp.security'],
  [{ host: 'example.com/x' }, 'smtp.host'],
  [{ host: 'a b' }, 'smtp.host'],
  [{ from: 'a@example.com>\r\nRCPT TO:<eve@example.com' }, 'smtp.from'],
  [{ from: 'Bcc: x\n <a@example.com>' }, 'smtp.from'],
  [{ username: 'me' }, 'smtp'],
])('a mail server that may not be used is refused with the field: %j', async (wrong, field) => {
  const body = { allowPrivateEventWebhook: false };
  await call('PATCH', '/api/system/settings', { token: operatorToken, body });
  const smtp = { host: 'smtp.example.com', from: 'a@example.com', to: ['b@example.com'], ...wrong };
  const reply = await call('POST', path, { token, body: { name: 'wrong', smtp } });
  expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request']);
  expect(reply.body.error).toContain(field);
});
