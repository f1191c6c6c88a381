/** Notification channels: their kinds, and their settings. */
import { z } from 'zod';
import { note } from '../../../../protocol/note.ts';
import { checkedWebhookUrl } from '../../names/webhook-url.ts';
import { dailySpanFields, spanAt } from '../../values/daily-span.ts';
import { exampleId } from '../../values/field-notes.ts';
import { nameOf } from '../../values/name.ts';
import { type EventType, eventTypes } from '../events.ts';
import type { ChannelKind, MailDelivery, Message, ReceiverRequest } from './channel-kind.ts';
import { discord } from './discord.ts';
import { email } from './email.ts';
import { slack } from './slack.ts';
import { checkedMailServer, smtp } from './smtp.ts';
import { teams } from './teams.ts';
import { telegram } from './telegram.ts';

const kinds = { slack, discord, telegram, teams, email, smtp };

export const channelKinds = [
  'slack',
  'discord',
  'telegram',
  'teams',
  'email',
  'smtp',
] as const satisfies readonly (keyof typeof kinds)[];
export type ChannelKindName = (typeof channelKinds)[number];

export const channelsPerTenant = 50;

/** The default event types: failures and recoveries. Deletions and sleep follow from a request, so they are not included. */
const defaultEventTypes: readonly EventType[] = eventTypes.filter(
  (type) => !/\.(deleted|restored|purged|slept|woke)$/.test(type),
);

export const quietHoursSchema = z.strictObject(dailySpanFields);
export type QuietHours = z.infer<typeof quietHoursSchema>;

const configs = {
  slack: slack.config.optional().describe('An incoming webhook of Slack, Mattermost or Rocket.Chat.'),
  discord: discord.config.optional().describe('A webhook of Discord.'),
  telegram: telegram.config.optional().describe('A bot of Telegram and the chat in which it writes.'),
  teams: teams.config.optional().describe('A workflow of Microsoft Teams.'),
  email: email.config.optional().describe('E-mail by the API of a provider.'),
  smtp: smtp.config.optional().describe('E-mail by a mail server.'),
};
const fields = {
  name: nameOf(64),
  events: z
    .array(z.enum([...eventTypes, '*'], 'must be the type of an event, such as "deployment.failed", or "*"'))
    .min(1, 'must not be empty: set "enabled" to false to send nothing')
    .describe('Types of events that it gets; `*`: all, also later ones.'),
  quietHours: quietHoursSchema
    .nullable()
    .describe('When nothing is sent; what happens then is sent at the end. null: never.'),
  enabled: z.boolean().describe('Whether it is sent anything.'),
};

/** The body of a new channel: exactly one kind is set. */
export const newChannelSchema = z
  .strictObject({
    name: fields.name,
    projectId: z
      .string()
      .nullable()
      .optional()
      .meta(
        note(
          'The only project whose events it gets; null: all projects of the tenant.',
          exampleId('project'),
        ),
      ),
    events: fields.events.default([...defaultEventTypes]),
    quietHours: fields.quietHours.default(null),
    enabled: fields.enabled.default(true),
    ...configs,
  })
  .refine(
    (body) => givenKinds(body).length === 1,
    `needs exactly one of ${channelKinds.map((name) => `"${name}"`).join(', ')}`,
  );
export type NewChannel = z.infer<typeof newChannelSchema>;

export const channelPatchSchema = z
  .strictObject({ ...fields, ...configs })
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'is empty: give at least one field to change')
  .refine((body) => givenKinds(body).length <= 1, 'has the settings of several kinds: give one');
export type ChannelPatch = z.infer<typeof channelPatchSchema>;

/** A kind with its configuration. It is stored in this form, encrypted. */
export const channelConfigSchema = z
  .strictObject(configs)
  .refine((config) => givenKinds(config).length === 1, 'needs one kind');
export type ChannelConfig = z.infer<typeof channelConfigSchema>;

export const givenKinds = (body: { [Name in ChannelKindName]?: unknown }): ChannelKindName[] =>
  channelKinds.filter((name) => body[name] !== undefined);

/** The part of a configuration that may be shown. */
export const targetOf = (config: ChannelConfig): string => applied(config, (kind, own) => kind.target(own));

/** The message in the form of its receiver. */
export const requestOf = (config: ChannelConfig, message: Message): ReceiverRequest | MailDelivery =>
  applied(config, (kind, own) => kind.request(own, message));

/**
 * Allows only public receivers, unless the operator allows others. Checked when a channel is set and at each delivery.
 * @throws ApiError `invalid_request`
 */
export function checkedDelivery<Delivery extends ReceiverRequest | MailDelivery>(
  delivery: Delivery,
  kind: ChannelKindName,
  allowsPrivate: boolean,
): Delivery {
  if ('server' in delivery) return { ...delivery, server: checkedMailServer(delivery.server, allowsPrivate) };
  checkedWebhookUrl(delivery.url, `${kind}.url`, allowsPrivate);
  return delivery;
}

function applied<Result>(
  config: ChannelConfig,
  use: <Config>(kind: ChannelKind<Config>, own: Config) => Result,
): Result {
  if (config.slack) return use(slack, config.slack);
  if (config.discord) return use(discord, config.discord);
  if (config.telegram) return use(telegram, config.telegram);
  if (config.teams) return use(teams, config.teams);
  if (config.email) return use(email, config.email);
  if (config.smtp) return use(smtp, config.smtp);
  throw new Error('a channel without a kind');
}

/**
 * The end of the quiet hours that contain `now`. In the night of a clock change it can be an hour off; if it is still quiet then, the end is
 * computed again.
 * @param now epoch milliseconds
 * @returns epoch milliseconds, a whole minute; undefined outside quiet hours
 */
export const endOfQuiet = (hours: QuietHours, now: number): number | undefined => spanAt(hours, now)?.endsAt;
