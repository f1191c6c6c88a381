/** Settings of the instance, for the operator. */
import { z } from 'zod';
import { newBackupBucketSchema } from '../domain/backup-bucket.ts';
import { eventWebhookSchema } from '../domain/event-webhook.ts';
import { settingsSchema } from '../domain/settings.ts';
import { type AnyRoute, defineRoute } from '../http/route.ts';
import { isWebhookSecret } from '../security/standard-webhook.ts';
import { changeSettings, readSettings } from '../usecases/instance/change-settings.ts';

const settingsReply = z.strictObject({ settings: settingsSchema });

const wantedWebhook = eventWebhookSchema.extend({
  /** Left out: the one there is stays; where there is none, one is made and shown in the answer, once. */
  secret: z
    .string()
    .refine(isWebhookSecret, 'must be "whsec_" and 24 to 64 bytes in base64; leave it out to have one made')
    .optional(),
});

const read = defineRoute({
  method: 'GET',
  path: '/api/system/settings',
  access: 'operator',
  summary: 'Read the settings of the instance.',
  reply: settingsReply,
  async handle({ deps }) {
    return { settings: await readSettings(deps) };
  },
});

const change = defineRoute({
  method: 'PATCH',
  path: '/api/system/settings',
  access: 'operator',
  summary:
    'Change settings of the instance; absent ones stay. A root domain is used for services created from then on.',
  body: settingsSchema
    .extend({
      eventWebhook: wantedWebhook.nullable(),
      backupBucket: newBackupBucketSchema.nullable(),
      /** With "backupBucket": copies in the present bucket stay there. They were moved to the new one, or are given up. */
      leaveBackupCopies: z.boolean(),
    })
    .partial()
    .refine((body) => Object.keys(body).length > 0, 'is empty: give at least one setting to change')
    .refine(
      (body) => body.leaveBackupCopies === undefined || body.backupBucket !== undefined,
      'has "leaveBackupCopies", which says something of a change of "backupBucket" alone',
    ),
  reply: settingsReply.extend({
    /** Made just now for the event webhook; shown this once. */
    eventWebhookSecret: z.string().optional(),
  }),
  async handle({ deps, body }) {
    const { settings, madeSecret } = await changeSettings(deps, body);
    return { settings, ...(madeSecret === undefined ? {} : { eventWebhookSecret: madeSecret }) };
  },
});

export const settingsRoutes: AnyRoute[] = [read, change];
