/** Settings of the instance: names, schemas and defaults. Each is stored as one row; an absent row means the default. */
import { z } from 'zod';
import { includesLevel, type KeyLevel } from '../access/key-levels.ts';
import { backupBucketSchema } from '../backups/backup-bucket.ts';
import { defaultRetention, retentionSchema } from '../deployments/retention.ts';
import { eventWebhookSchema } from '../events/event-webhook.ts';
import { upgradeWindowSchema } from '../hosts/host-upgrades.ts';
import { hostnameSchema } from '../names/hostname.ts';
import { defaultTenantLimits, tenantLimitsSchema } from '../tenants/tenant-limits.ts';
import { aiProviderIdSchema } from './ai-providers.ts';

/** Host names have at most 240 characters (domain/hostname); 64 are reserved for the label and dot of a generated one. */
const rootDomainMax = 176;

/** More origins than this would be a public API, and strangers' browsers should not hold its keys. */
const corsOriginsMax = 20;
const callsPerMinuteMax = 1_000_000;
/** Ten years. */
const auditDaysMax = 3650;

/** A month, because kept data uses disk space. */
const keepDeletedHoursMax = 720;

const keepDumpsMax = 365;

/** A log is first checked after the least number of days. */
const logDays = { least: 7, most: 3650 };

const objectRequestsMax = 1_000_000_000;

const wholeNumber = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.int(message).min(min, message).max(max, message);
};

/** As browsers send it in `Origin` (RFC 6454, section 6.1): scheme, host and a non-default port. */
const originSchema = z
  .string()
  .refine(isHttpsOrigin, 'must be an https origin such as https://app.example.com');

function isHttpsOrigin(text: string): boolean {
  return text.startsWith('https://') && URL.parse(text)?.origin === text && !text.includes('*');
}

export const settingsSchema = z.strictObject({
  /** Parent domain of generated host names for new services; null: `localhost`. */
  rootDomain: hostnameSchema
    .refine(
      (name) => name.length <= rootDomainMax,
      `is too long: at most ${rootDomainMax} characters, because host names are generated below it`,
    )
    .nullable(),
  /** The address that domains should point to; null: the address that each host reports. */
  publicIp: z.union([z.ipv4(), z.ipv6()], { error: 'must be an IP address or null' }).nullable(),
  /** The variables whose values keys with read access see. */
  readKeysSee: z.enum(['plain', 'all', 'none']),
  /** Explains failures if the request names no provider. Null: the builtin rules, so no data leaves the platform. */
  defaultAiProviderId: aiProviderIdSchema.nullable(),
  /** Allows plain http and private addresses for AI providers: for self-hosted models on this machine or its network. */
  allowPrivateAiProviders: z.boolean(),
  /** Allows plain http and private addresses for identity providers: for self-hosted ones on this machine or its network. */
  allowPrivateSignInProviders: z.boolean(),
  /** The webhook that receives events (domain/events); null: none. */
  eventWebhook: eventWebhookSchema.nullable(),
  /** Allows plain http and a private address for the event webhook: for a self-hosted receiver. */
  allowPrivateEventWebhook: z.boolean(),
  /** The bucket for backup copies, without its secret key; null: the Worker's R2 bucket. */
  backupBucket: backupBucketSchema.nullable(),
  /** Allows plain http and a private address for the backup bucket: for a self-hosted server. */
  allowPrivateBackupBucket: z.boolean(),
  /** Requests per key and minute. */
  readsPerMinute: wholeNumber(1, callsPerMinuteMax),
  writesPerMinute: wholeNumber(1, callsPerMinuteMax),
  /** Per client address (IPv6: a /64). */
  failedSignInsPerMinute: wholeNumber(1, callsPerMinuteMax),
  /** Retention of the audit log and of failed sign-in counts. */
  auditDays: wholeNumber(1, auditDaysMax),
  /** Retention of deployment logs; some versions keep theirs longer (domain/logs/log-retention). */
  logDays: wholeNumber(logDays.least, logDays.most),
  /** How long a log that is removed stays in the control plane's bucket, from its end. Null: no log is archived. */
  logArchiveDays: wholeNumber(logDays.least + 1, logDays.most).nullable(),
  /** Requests to objects a day, after which the platform refuses more; logs slow down before. Null: no limit. */
  objectRequestsPerDay: wholeNumber(1_000, objectRequestsMax).nullable(),
  /** How long deployments, jobs and events are kept. */
  retention: retentionSchema,
  /** Limits of every tenant except the default one, unless its quotas say otherwise. */
  tenantLimits: tenantLimitsSchema,
  /** How long deleted services, projects and backups can be restored; 0: not at all. */
  keepDeletedHours: wholeNumber(0, keepDeletedHoursMax),
  /** When hosts get the release that this control plane offers, one after the other; null: only by hand. */
  hostUpgrades: upgradeWindowSchema.nullable(),
  /** Nightly dumps of the database that stay in the bucket; 0: none are made. */
  keepDumps: wholeNumber(0, keepDumpsMax),
  /** Web origins that may call this API from a browser with their own key; empty: none, and no CORS header is ever sent. */
  corsOrigins: z.array(originSchema).max(corsOriginsMax, `has more than ${corsOriginsMax} origins`),
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

/** Fallback when no public address is known: the machine itself. */
const unknownPublicIp = '127.0.0.1';

/** The values of variables and contents of files that a key sees. @param access of the key */
export const seesOf = (
  { readKeysSee }: Pick<Settings, 'readKeysSee'>,
  access: KeyLevel,
): Settings['readKeysSee'] => (includesLevel(access, 'write') ? 'all' : readKeysSee);

/** The public address of a host: the operator's setting, or else what the host reports. */
export function publicIpOf(settings: Pick<Settings, 'publicIp'>, reported: string | null): string {
  return settings.publicIp ?? reported ?? unknownPublicIp;
}
