/** The form in which each kind of receiver gets a message, and what may be configured. */
import { expect, test } from 'vitest';
import {
  type ChannelConfig,
  endOfQuiet,
  newChannelSchema,
  requestOf,
  targetOf,
} from '../../../../../worker/domain/alerts/notifications/channel-fields.ts';
import { messageOf } from '../../../../../worker/domain/alerts/notifications/message.ts';

const hooks = 'https://hooks.example.com/services/hunter2';
const configs = {
  slack: { url: hooks },
  discord: { url: hooks },
  telegram: { botToken: '123456:hunter2', chatId: '-100123' },
  teams: { url: hooks },
  email: { provider: 'resend', apiKey: 'hunter2', from: 'Ops <ops@example.com>', to: ['ada@example.com'] },
} satisfies ChannelConfig;
const kinds = Object.entries(configs).map(([kind, config]) => ({
  kind,
  config: { [kind]: config } as ChannelConfig,
}));

const failed = messageOf({
  ...{
    id: 'evt_1',
    type: 'deployment.failed',
    createdAt: Date.UTC(2026, 10, 24, 9, 30),
    tenantId: 'default',
  },
  ...{ projectId: 'prj_1', projectName: 'Shop', serviceId: 'svc_1', serviceName: 'web', resourceId: 'dep_1' },
  ...{ trigger: 'webhook', startedBy: null, error: 'npm install failed.' },
});
const sent = (config: ChannelConfig, message = failed) => {
  const delivery = requestOf(config, message);
  if ('server' in delivery) throw new Error('it is a mail');
  const { body, ...request } = delivery;
  return { ...request, body: JSON.parse(body) };
};

test.each(kinds)('$kind gets the summary, the reason and the footer, and shows no secret', ({ config }) => {
  const { body, url } = sent(config);
  const text = JSON.stringify(body).replaceAll('\\\\', '');
  for (const part of [
    'A deployment of web',
    'npm install failed.',
    'Shop · deployment.failed · 2026-11-24 09:30 UTC',
  ]) {
    expect(text).toContain(part);
  }
  expect(url).toMatch(/^https:/);
  expect(targetOf(config)).not.toContain('hunter2');
});

test('each API gets its own fields', () => {
  expect(sent({ slack: configs.slack }).body).toMatchObject({
    text: expect.any(String),
    blocks: [{}, {}, {}],
  });
  expect(sent({ discord: configs.discord }).body).toMatchObject({ allowed_mentions: { parse: [] } });
  expect(sent({ telegram: configs.telegram })).toMatchObject({
    url: 'https://api.telegram.org/bot123456:hunter2/sendMessage',
    body: { chat_id: '-100123', text: expect.any(String) },
  });
  expect(sent({ teams: configs.teams }).body.attachments).toMatchObject([
    { contentType: 'application/vnd.microsoft.card.adaptive', content: { type: 'AdaptiveCard' } },
  ]);
  expect(sent({ email: configs.email })).toMatchObject({
    url: 'https://api.resend.com/emails',
    headers: { authorization: 'Bearer hunter2' },
    body: { to: ['ada@example.com'], from: 'Ops <ops@example.com>' },
  });
  expect(sent({ email: { ...configs.email, provider: 'postmark' } })).toMatchObject({
    url: 'https://api.postmarkapp.com/email',
    headers: { 'x-postmark-server-token': 'hunter2' },
    body: { To: 'ada@example.com' },
  });
});

test.each(kinds)(
  '$kind takes texts of services as text: no mention, no link, no limit exceeded',
  ({ config }) => {
    const hostile = '<!channel> @everyone [here](https://evil.example) *x* <https://evil.example|click>';
    const message = { ...failed, summary: hostile.repeat(40), detail: `${hostile}\n${'x'.repeat(50_000)}` };
    const { body } = sent(config, message);
    const text = JSON.stringify(body);
    expect(text.length).toBeLessThan(70_000);
    if (config.slack) {
      for (const { text: { text = '' } = {} } of body.blocks) expect(text.length).toBeLessThanOrEqual(3_000);
      expect(JSON.stringify([body.text, body.blocks[0]])).not.toMatch(/[<>]/);
    }
    if (config.discord) {
      expect(body.embeds[0].title.length).toBeLessThanOrEqual(256);
      expect(body.embeds[0].description.length).toBeLessThanOrEqual(4_096);
      expect(text).not.toMatch(/[^\\]\]\(/);
    }
    if (config.telegram) expect(body.text.length).toBeLessThanOrEqual(4_096);
    if (config.teams) expect(text).not.toMatch(/[^\\]\]\(/);
    if (config.email) expect(body.subject).not.toContain('\n');
  },
);

test.each([
  [{}, 'needs exactly one of "slack"'],
  [{ slack: configs.slack, discord: configs.discord }, 'needs exactly one of "slack"'],
  [{ slack: { url: 'ftp://example.com' } }, 'must be an https URL'],
  [{ slack: { url: 'https://me:pw@example.com' } }, 'must be an https URL'],
  [{ telegram: { botToken: '1:../sendMessage?x=', chatId: '1' } }, 'must be the token of a bot'],
  [{ telegram: { botToken: '1:a', chatId: 'a chat' } }, 'must be the id of a chat'],
  [{ email: { ...configs.email, from: 'a@example.com\nBcc: b@example.com' } }, 'must be an address'],
  [{ email: { ...configs.email, to: ['ada'] } }, 'must be an e-mail address'],
  [{ slack: configs.slack, events: [] }, 'must not be empty'],
  [{ slack: configs.slack, quietHours: { from: '24:00', to: '07:00', timeZone: 'UTC' } }, 'must be a time'],
  [{ slack: configs.slack, quietHours: { from: '22:00', to: '07:00', timeZone: 'Mars' } }, 'IANA time zone'],
])('a wrong channel is refused with a sentence: %j', (wrong, sentence) => {
  const { error } = newChannelSchema.safeParse({ name: 'ops', ...wrong });
  expect(error?.issues.map(({ message }) => message).join()).toContain(sentence);
});

test.each([
  ['22:00', '07:00', 'UTC', '2026-11-24T23:10:20Z', '2026-11-25T07:00:00Z'],
  ['22:00', '07:00', 'UTC', '2026-11-24T06:59:59Z', '2026-11-24T07:00:00Z'],
  ['22:00', '07:00', 'UTC', '2026-11-24T07:00:00Z', undefined],
  ['12:00', '13:00', 'Europe/Berlin', '2026-07-01T10:30:00Z', '2026-07-01T11:00:00Z'],
  ['12:00', '13:00', 'Europe/Berlin', '2026-07-01T12:30:00Z', undefined],
  ['12:00', '12:00', 'UTC', '2026-07-01T12:00:00Z', undefined],
])('quiet hours from %s to %s (%s) at %s end at %s', (from, to, timeZone, now, end) => {
  const until = endOfQuiet({ from, to, timeZone }, Date.parse(now));
  expect(until).toBe(end && Date.parse(end));
});
