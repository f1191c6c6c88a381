/** Notification channels: list, create, change, delete, and send a test message. */

import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { eventTypes } from '../../domain/alerts/events.ts';
import {
  channelKinds,
  channelPatchSchema,
  newChannelSchema,
  quietHoursSchema,
} from '../../domain/alerts/notifications/channel-fields.ts';
import { exampleId, idOf, notes } from '../../domain/values/field-notes.ts';
import { notificationChannelResource } from '../../http/loaders/tenant-loaders.ts';
import { type AnyRoute, defineRoute, keyOf } from '../../http/route.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import {
  type ChannelRow,
  deleteChannel,
  findChannel,
  listChannels,
} from '../../store/alerts/notification-channel-store.ts';
import { changeChannel, createChannel } from '../../usecases/alerts/change-channels.ts';
import { sendTestNotification } from '../../usecases/alerts/send-notification.ts';
import { readSettings } from '../../usecases/instance/change-settings.ts';

const channelSchema = z.strictObject({
  id: idOf('notificationChannel'),
  name: z.string().meta(notes.name),
  projectId: z
    .string()
    .nullable()
    .meta(note('The only project whose events it gets; null: all projects.', exampleId('project'))),
  kind: z.enum(channelKinds).describe('Kind of receiver.'),
  target: z.string().describe('Where it goes, without its secrets.'),
  events: z.array(z.enum([...eventTypes, '*'])).describe('Types of events that it gets; `*`: all.'),
  quietHours: quietHoursSchema.nullable().describe('When nothing is sent; null: never.'),
  enabled: z.boolean().describe('Whether it is sent anything.'),
  createdAt: timestampSchema.meta(notes.createdAt),
  updatedAt: timestampSchema.meta(notes.updatedAt),
});
const channelReply = z.strictObject({ channel: channelSchema });
const path = '/api/notification-channels';

const list = defineRoute({
  method: 'GET',
  path,
  access: 'read',
  onlyAllProjects: true,
  summary: 'List where you are notified of events. Tokens and secret addresses are never shown.',
  reply: z.strictObject({
    channels: z.array(channelSchema).describe('The channels, in the order of their names.'),
  }),
  async handle({ deps, principal }) {
    return { channels: (await listChannels(deps.db, keyOf(principal).tenantId)).map(present) };
  },
});

const create = defineRoute({
  method: 'POST',
  path,
  access: 'write',
  onlyAllProjects: true,
  summary:
    'Be notified of events by Slack, Discord, Telegram, Microsoft Teams, e-mail or a mail server: give the settings of one of them.',
  body: newChannelSchema,
  projectIn: ({ projectId }) => projectId,
  creates: {
    kind: 'notificationChannel',
    async find({ deps }, id) {
      const row = await findChannel(deps.db, id);
      return row && { channel: present(row) };
    },
  },
  reply: channelReply,
  async handle({ deps, principal, body }) {
    return { channel: present(await createChannel(deps, keyOf(principal).tenantId, body)) };
  },
});

const change = defineRoute({
  method: 'PATCH',
  path: `${path}/:channelId`,
  access: 'write',
  summary: 'Change a notification channel. Omitted fields keep their values; its project stays.',
  resource: notificationChannelResource,
  body: channelPatchSchema,
  reply: channelReply,
  async handle({ deps, resource, body }) {
    return { channel: present(await changeChannel(deps, resource.channel, body)) };
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path: `${path}/:channelId`,
  access: 'write',
  summary: 'Delete a notification channel. What waits for it is not sent.',
  resource: notificationChannelResource,
  reply: z.strictObject({ ok: z.literal(true).meta(notes.ok) }),
  async handle({ deps, resource }) {
    await deleteChannel(deps.db, resource.channel.id);
    return { ok: true as const };
  },
});

const test = defineRoute({
  method: 'POST',
  path: `${path}/:channelId/test`,
  access: 'write',
  summary: 'Send a test message to a notification channel now and return the response of the receiver.',
  resource: notificationChannelResource,
  reply: z.strictObject({
    result: z.strictObject({
      ok: z.boolean().describe('Whether it succeeded.'),
      status: z.int().nullable().describe('HTTP status of the answer; null: there was none.'),
      detail: z.string().meta(notes.detail),
      durationMs: z.int().meta(notes.durationMs),
    }),
  }),
  async handle({ deps, resource }) {
    return { result: await sendTestNotification(deps, resource.channel, await readSettings(deps)) };
  },
});

export const notificationChannelRoutes: AnyRoute[] = [list, create, change, remove, test];

const present = (row: ChannelRow): z.infer<typeof channelSchema> => {
  const { id, name, projectId, kind, target, events, quietHours, enabled } = row;
  return {
    ...{ id, name, projectId, kind, target, events, quietHours, enabled },
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
};
