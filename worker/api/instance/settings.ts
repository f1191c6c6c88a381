/** Settings of the instance and the state of its encryption, for the operator. */
import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { newBackupBucketSchema } from '../../domain/backups/backup-bucket.ts';
import { retentionChangesSchema } from '../../domain/deployments/retention.ts';
import { eventWebhookSchema } from '../../domain/instance/event-webhook.ts';
import { settingsSchema } from '../../domain/instance/settings.ts';
import { tenantLimitChangesSchema } from '../../domain/tenants/tenant-limits.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { isWebhookSecret } from '../../security/standard-webhook.ts';
import { changeSettings, readSettings } from '../../usecases/instance/change-settings.ts';
import { readEncryptionStatus } from '../../usecases/instance/rotate-encryption-key.ts';

const settingsReply = z.strictObject({ settings: settingsSchema });

const wantedWebhook = eventWebhookSchema.extend({
  secret: z
    .string()
    .refine(
      isWebhookSecret,
      'must be "whsec_" and 24 to 64 bytes in base64; leave it out to have one generated',
    )
    .optional()
    .describe(
      'Signs the events. Absent: the current secret is kept; if there is none, one is generated and shown once in the answer.',
    ),
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
    'Change settings of the instance; omitted settings keep their values. A new root domain applies to services created afterwards.',
  body: settingsSchema
    .extend({
      eventWebhook: wantedWebhook.nullable().meta(notes.eventWebhook),
      backupBucket: newBackupBucketSchema.nullable().meta(notes.backupBucket),
      tenantLimits: tenantLimitChangesSchema.meta(notes.tenantLimits),
      retention: retentionChangesSchema.meta(notes.retention),
      leaveBackupCopies: z
        .boolean()
        .describe(
          'With "backupBucket": leave existing copies in the current bucket, because they were moved to the new one or are no longer needed.',
        ),
    })
    .partial()
    .refine((body) => Object.keys(body).length > 0, 'is empty: give at least one setting to change')
    .refine(
      (body) => body.leaveBackupCopies === undefined || body.backupBucket !== undefined,
      'has "leaveBackupCopies" without "backupBucket": send them together',
    ),
  reply: settingsReply.extend({
    eventWebhookSecret: z
      .string()
      .optional()
      .meta(note('Secret that signs events. It is shown once.', 'whsec_...')),
  }),
  async handle({ deps, body }) {
    const { settings, madeSecret } = await changeSettings(deps, body);
    return { settings, ...(madeSecret === undefined ? {} : { eventWebhookSecret: madeSecret }) };
  },
});

/** Progress of a rotation of the encryption key. */
const readEncryption = defineRoute({
  method: 'GET',
  path: '/api/system/encryption',
  access: 'operator',
  summary:
    'Show how far a rotation of ENCRYPTION_KEY is: when "rowsToReseal" is 0, ENCRYPTION_KEY_PREVIOUS can be removed.',
  reply: z.strictObject({
    encryption: z
      .strictObject({
        key: z.string().describe('Name of the current key, derived from its hash.'),
        previousKey: z
          .string()
          .nullable()
          .describe('The key before the present one, while values under it remain.'),
        rowsToReseal: z.int().meta(notes.rowsToReseal),
        rowsWithoutKey: z.int().meta(note('Values whose key is missing.', 0)),
      })
      .describe('State of the encryption key.'),
  }),
  handle: async ({ deps }) => ({ encryption: await readEncryptionStatus(deps) }),
});

export const settingsRoutes: AnyRoute[] = [read, change, readEncryption];
