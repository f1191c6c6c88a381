/** Settings of the instance: names, schemas and defaults. Each is stored as one row; an absent row means the default. */
import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { includesLevel, type KeyLevel } from '../access/key-levels.ts';
import { backupBucketSchema } from '../backups/backup-bucket.ts';
import { defaultRetention, retentionSchema } from '../deployments/retention.ts';
import { upgradeWindowSchema } from '../hosts/host-upgrades.ts';
import { hostnameSchema } from '../names/hostname.ts';
import { defaultTenantLimits, tenantLimitsSchema } from '../tenants/tenant-limits.ts';
import { notes } from '../values/field-notes.ts';
import { aiProviderIdSchema } from './ai-providers.ts';
import { eventWebhookSchema } from './event-webhook.ts';

/** Host names have at most 240 characters (domain/hostname); 64 are reserved for the label and dot of a generated one. */
const rootDomainMax = 176;

/** More origins would be a public API, and strangers' browsers should not hold its keys. */
const corsOriginsMax = 20;
const callsPerMinuteMax = 1_000_000;
/** Ten years. */
const auditDaysMax = 3650;

/** A month, because deleted data uses disk space until then. */
const keepDeletedHoursMax = 720;

const keepDumpsMax = 365;

/** A log is first checked after the smallest number of days. */
const logDays = { least: 7, most: 3650 };

const objectRequestsMax = 1_000_000_000;

const wholeNumber = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.int(message).min(min, message).max(max, message);
};

/** The form that browsers send in `Origin` (RFC 6454, section 6.1): scheme, host and a non-default port. */
const originSchema = z
  .string()
  .refine(isHttpsOrigin, 'must be an https origin such as https://app.example.com');

function isHttpsOrigin(text: string): boolean {
  return text.startsWith('https://') && URL.parse(text)?.origin === text && !text.includes('*');
}

export const settingsSchema = z.strictObject({
  rootDomain: hostnameSchema
    .refine(
      (name) => name.length <= rootDomainMax,
      `is too long: at most ${rootDomainMax} characters, because host names are generated below it`,
    )
    .nullable()
    .meta(note('Parent of generated host names; null: `localhost`.', 'apps.example.com')),
  /** The address to which domains should point; `null`: the address that each host reports. */
  publicIp: z
    .union([z.ipv4(), z.ipv6()], { error: 'must be an IP address or null' })
    .nullable()
    .meta(notes.publicIp),
  readKeysSee: z
    .enum(['plain', 'all', 'none'])
    .describe('The variables whose values keys with read access see.'),
  defaultAiProviderId: aiProviderIdSchema
    .nullable()
    .meta(
      note(
        'Explains failures if the request names no provider. Null: the builtin rules, so no data leaves the platform.',
        'llm',
      ),
    ),
  allowPrivateAiProviders: z
    .boolean()
    .describe(
      'Allows plain http and private addresses for AI providers: for self-hosted models on this machine or its network.',
    ),
  allowPrivateSignInProviders: z
    .boolean()
    .describe(
      'Allows plain http and private addresses for identity providers, and in the default tenant for issuers of trust policies: for self-hosted ones on this machine or its network.',
    ),
  eventWebhook: eventWebhookSchema.nullable().meta(notes.eventWebhook),
  allowPrivateEventWebhook: z
    .boolean()
    .describe('Allows plain http and a private address for the event webhook: for a self-hosted receiver.'),
  backupBucket: backupBucketSchema.nullable().meta(notes.backupBucket),
  allowPrivateBackupBucket: z
    .boolean()
    .describe('Allows plain http and a private address for the backup bucket: for a self-hosted server.'),
  readsPerMinute: wholeNumber(1, callsPerMinuteMax).meta(note('Reads per key and minute.', 6000)),
  writesPerMinute: wholeNumber(1, callsPerMinuteMax).meta(note('Writes per key and minute.', 1200)),
  failedSignInsPerMinute: wholeNumber(1, callsPerMinuteMax).meta(
    note('Failed sign-ins per client address and minute.', 60),
  ),
  /** Retention of the audit log and of failed sign-in counts. */
  auditDays: wholeNumber(1, auditDaysMax).meta(note('Days for which the audit log is kept.', 90)),
  /** Retention of deployment logs; some versions keep theirs longer (domain/logs/log-retention). */
  logDays: wholeNumber(logDays.least, logDays.most).meta(
    note('Days for which logs of deployments are kept.', 14),
  ),
  logArchiveDays: wholeNumber(logDays.least + 1, logDays.most)
    .nullable()
    .meta(
      note(
        'Days for which a log stays in the archive in the bucket, from its end. Null: no log is archived.',
        365,
      ),
    ),
  /** Requests to objects a day, after which the platform refuses more. Logs slow down before that. `null`: no limit. */
  objectRequestsPerDay: wholeNumber(1_000, objectRequestsMax)
    .nullable()
    .meta(
      note(
        'Requests to objects that the platform allows a day: 100000 on the free plan of Cloudflare. From half of it on, logs come less often. Null: no limit.',
        100_000,
      ),
    ),
  retention: retentionSchema.meta(notes.retention),
  tenantLimits: tenantLimitsSchema.meta(notes.tenantLimits),
  keepDeletedHours: wholeNumber(0, keepDeletedHoursMax).meta(
    note('Hours for which deleted things can be restored; 0: not at all.', 72),
  ),
  hostUpgrades: upgradeWindowSchema
    .nullable()
    .meta(
      note(
        'When hosts get the release that this control plane offers, one after the other; null: only by hand.',
        { from: '02:00', to: '05:00', timeZone: 'Europe/Berlin', days: ['sun'] },
      ),
    ),
  keepDumps: wholeNumber(0, keepDumpsMax).meta(
    note('Nightly dumps of the database that stay in the bucket; 0: none are made.', 7),
  ),
  /** Web origins that may call this API from a browser with their own key; if empty, no CORS header is ever sent. */
  corsOrigins: z
    .array(originSchema)
    .max(corsOriginsMax, `has more than ${corsOriginsMax} origins`)
    .meta(note('Web origins that may call the API from a browser.', ['https://admin.example.com'])),
});

export type Settings = z.infer<typeof settingsSchema>;

export const defaultSettings: Settings = {
  rootDomain: null,
  publicIp: null,
  readKeysSee: 'plain',
  defaultAiProviderId: null,
  allowPrivateAiProviders: false,
  allowPrivateSignInProviders: false,
  eventWebhook: null,
  allowPrivateEventWebhook: false,
  backupBucket: null,
  allowPrivateBackupBucket: false,
  readsPerMinute: 6_000,
  writesPerMinute: 1_200,
  failedSignInsPerMinute: 60,
  auditDays: 365,
  retention: defaultRetention,
  objectRequestsPerDay: null,
  logDays: 14,
  logArchiveDays: null,
  tenantLimits: defaultTenantLimits,
  keepDeletedHours: 72,
  hostUpgrades: null,
  keepDumps: 7,
  corsOrigins: [],
};

/** The settings in these rows, with defaults. A stored value that no longer matches its schema counts as absent. */
export function settingsOf(rows: readonly { name: string; value: unknown }[]): Settings {
  const valid = rows.flatMap(({ name, value }) => {
    const schema: z.ZodType | undefined = settingsSchema.shape[name as keyof Settings];
    const parsed = schema?.safeParse(value);
    return parsed?.success ? [[name, parsed.data]] : [];
  });
  return { ...defaultSettings, ...Object.fromEntries(valid) };
}

/** Used if no public address is known: the machine itself. */
const unknownPublicIp = '127.0.0.1';

/** The variable values and file contents that a key may see. @param access of the key */
export const seesOf = (
  { readKeysSee }: Pick<Settings, 'readKeysSee'>,
  access: KeyLevel,
): Settings['readKeysSee'] => (includesLevel(access, 'write') ? 'all' : readKeysSee);

/** The public address of a host: the operator's setting, or else what the host reports. */
export function publicIpOf(settings: Pick<Settings, 'publicIp'>, reported: string | null): string {
  return settings.publicIp ?? reported ?? unknownPublicIp;
}
