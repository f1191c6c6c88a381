/** Every type of event in the form of every kind of receiver: valid by the receiver's documents, short, and with the names in it. */
import { expect, test } from 'vitest';
import { alertRules } from '../../../../../worker/domain/alerts/alerts.ts';
import { type EventFacts, eventTypes, testEventType } from '../../../../../worker/domain/alerts/events.ts';
import {
  type ChannelConfig,
  requestOf,
} from '../../../../../worker/domain/alerts/notifications/channel-fields.ts';
import type { Message } from '../../../../../worker/domain/alerts/notifications/channel-kind.ts';
import { mailText } from '../../../../../worker/domain/alerts/notifications/mail-text.ts';
import { messageOf } from '../../../../../worker/domain/alerts/notifications/message.ts';

const url = 'https://hooks.example.com/services/x';
const mail = { apiKey: 'key', from: 'Ops <ops@example.com>', to: ['ada@example.com'] };
const server = { host: 'smtp.example.com', port: 587, from: 'Ops <ops@example.com>', to: mail.to };

// biome-ignore lint/suspicious/noExplicitAny: bodies of five vendors
type Body = any;
const size = (text: unknown, least: number, most: number) => {
  expect(typeof text).toBe('string');
  expect((text as string).length).toBeGreaterThanOrEqual(least);
  expect((text as string).length).toBeLessThanOrEqual(most);
  expect((text as string).isWellFormed()).toBe(true);
};

/** What each receiver documents, and where a text could mention somebody or forge a link. */
const receivers: Record<string, { config: ChannelConfig; check(body: Body): void }> = {
  slack: {
    config: { slack: { url } },
    // https://docs.slack.dev/reference/block-kit/blocks: 50 blocks, 3,000 characters of a section, 10 elements of a context
    check({ text, blocks }) {
      expect(blocks.length).toBeLessThanOrEqual(50);
      for (const block of blocks) {
        for (const part of block.elements ?? [block.text]) size(part.text, 1, 3_000);
        expect(block.elements?.length ?? 0).toBeLessThanOrEqual(10);
      }
      const title = blocks[0].text.text.replace(/^:white_check_mark: /, '');
      for (const read of [text, title]) expect(read).not.toMatch(/[<>]|@(?!\u200b)|(?<!\u200b)[*_~`]/);
      expect(blocks[0].text.verbatim).toBe(true);
    },
  },
  discord: {
    config: { discord: { url } },
    // https://docs.discord.com/developers/resources/message#embed-object-embed-limits
    check({ embeds, allowed_mentions }) {
      expect(embeds).toHaveLength(1);
      const [{ title, description, footer }] = embeds;
      size(title, 1, 256);
      if (description !== undefined) size(description, 1, 4_096);
      size(footer.text, 1, 2_048);
      expect(`${title}${description ?? ''}${footer.text}`.length).toBeLessThanOrEqual(6_000);
      expect(allowed_mentions).toEqual({ parse: [] });
      expect(`${title} ${description}`).not.toMatch(/(?<!\\)\]\(/);
    },
  },
  telegram: {
    config: { telegram: { botToken: '1:a', chatId: '-1' } },
    // https://core.telegram.org/bots/api#sendmessage: 1 to 4,096 characters; without parse_mode nothing is markup
    check(body) {
      size(body.text, 1, 4_096);
      expect(body.parse_mode).toBeUndefined();
      expect(body.link_preview_options).toEqual({ is_disabled: true });
    },
  },
  teams: {
    config: { teams: { url } },
    // https://learn.microsoft.com/microsoftteams/limits-specifications-teams: 28 KB
    check(body) {
      expect(new TextEncoder().encode(JSON.stringify(body)).length).toBeLessThan(28_000);
      const { content } = body.attachments[0];
      expect([content.type, content.version]).toEqual(['AdaptiveCard', '1.4']);
      for (const block of content.body) {
        size(block.text, 1, 28_000);
        expect(block.text).not.toMatch(/(?<!\\)\]\(/);
      }
    },
  },
  resend: {
    config: { email: { provider: 'resend', ...mail } },
    check({ subject, text, html, to }) {
      size(subject, 1, 200);
      expect(subject).not.toMatch(/\p{Cc}/u);
      size(text, 1, 10_000);
      expect([html, to.length]).toEqual([undefined, 1]);
    },
  },
  postmark: {
    config: { email: { provider: 'postmark', ...mail } },
    // https://postmarkapp.com/developer/api/email-api: a subject of 2,000 characters
    check({ Subject, TextBody, HtmlBody }) {
      size(Subject, 1, 200);
      expect(Subject).not.toMatch(/\p{Cc}/u);
      size(TextBody, 1, 10_000);
      expect(HtmlBody).toBeUndefined();
    },
  },
  smtp: {
    config: { smtp: server },
    // RFC 5322, section 2.1.1: lines of 998 characters. Only ASCII, and no header but ours.
    check({ subject, text }) {
      const written = mailText({ from: server.from, to: mail.to, subject, text, messageId: 'id@x', date: 0 });
      expect(written).toMatch(/^[\x20-\x7e\r\n\t]*$/);
      expect(written.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
      for (const line of written.split('\r\n')) expect(line.length).toBeLessThanOrEqual(998);
      const [headers = ''] = written.split('\r\n\r\n');
      expect(headers.split(/\r\n(?! )/).map((line) => line.split(':')[0])).toEqual([
        ...['From', 'To', 'Subject', 'Date', 'Message-ID', 'MIME-Version', 'Content-Type'],
        ...['Content-Transfer-Encoding', 'Auto-Submitted'],
      ]);
    },
  },
};

const hostType = /^host\./;
const projectType = /^project\./;
const facts = (type: EventFacts['type'], names: { service: string; project: string }): EventFacts => ({
  ...{ id: 'evt_1', type, createdAt: Date.UTC(2026, 10, 26, 9, 30), tenantId: 'default', resourceId: 'x_1' },
  ...{ projectId: 'prj_1', projectName: hostType.test(type) ? '' : names.project },
  ...{ serviceId: 'svc_1', serviceName: projectType.test(type) ? '' : names.service },
  ...{ trigger: type.startsWith('alert.') ? 'memory' : 'daily', error: 'It failed.' },
  startedBy: { type: 'push', id: null, name: names.service },
});

function bodyOf(config: ChannelConfig, message: Message): Body {
  const delivery = requestOf(config, message);
  return 'server' in delivery ? delivery.mail : JSON.parse(delivery.body);
}
/** What people read, without the escapes of each receiver. */
const readable = (body: Body) => JSON.stringify(body).replaceAll('\\\\', '').replaceAll('\u200b', '');

const types: EventFacts['type'][] = [...eventTypes, testEventType];
const table = Object.entries(receivers).flatMap(([receiver, of]) =>
  types.map((type) => ({ receiver, type, ...of })),
);

test.each(table)(
  '$receiver gets $type as a short valid message with its names',
  ({ type, config, check }) => {
    const event = facts(type, { service: 'web', project: 'Shop' });
    const body = bodyOf(config, messageOf(event));
    check(body);
    expect(JSON.stringify(body).length).toBeLessThan(1_200);
    if (type === testEventType) return;
    for (const name of [event.serviceName, event.projectName])
      if (name) expect(readable(body)).toContain(name);
    expect(readable(body)).toContain('2026-11-26 09:30 UTC');
  },
);

const hostile = [
  '@everyone <!channel> <@U123> @channel',
  '[here](https://evil.example) <https://evil.example|click> https://evil.example',
  '*x* _y_ ~z~ `q` ||r|| \\',
  'a\r\nBcc: evil@example.com\r\n\r\nbody',
  '\u202e\ud800\u0000"};{',
  '🚀'.repeat(50),
];

test.each(Object.entries(receivers))('%s takes any name and any error as text', (_, { config, check }) => {
  for (const text of hostile)
    for (const type of ['deployment.failed', 'service.deleted', 'host.away', 'alert.raised'] as const) {
      const event = { ...facts(type, { service: text, project: text }), error: text.repeat(2_000) };
      check(bodyOf(config, messageOf(event)));
    }
});

test('each rule of an alert has its own words when it begins and when it is over', () => {
  for (const type of ['alert.raised', 'alert.resolved'] as const) {
    const said = alertRules.map(
      (trigger) => messageOf({ ...facts(type, { service: 'web', project: 'Shop' }), trigger }).summary,
    );
    expect(new Set(said.filter((one) => !one.includes('needs attention'))).size).toBeGreaterThanOrEqual(
      alertRules.length - 1, // memory of a service and of a host
    );
  }
});
