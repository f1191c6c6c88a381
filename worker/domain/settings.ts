/** Settings of the instance: names, schemas and defaults. Stored one row a name; an absent row is the default. */
import { z } from 'zod';
import { aiProviderIdSchema } from './ai-providers.ts';
import { backupBucketSchema } from './backup-bucket.ts';
import { eventWebhookSchema } from './event-webhook.ts';
import { hostnameSchema } from './hostname.ts';

/** Of the 240 characters of a host name here (domain/hostname), 64 are for the label and dot of a generated one. */
const rootDomainMax = 176;

/** More origins than this is a public API, which browsers of strangers should not hold keys of. */
const corsOriginsMax = 20;
const callsPerMinuteMax = 1_000_000;
/** Ten years. */
const auditDaysMax = 3650;

const wholeNumber = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  return z.int(message).min(min, message).max(max, message);
};

/** As browsers write it in `Origin` (RFC 6454, section 6.1): scheme, host and a port that is not the scheme's own. */
const originSchema = z
  .string()
  .refine(isHttpsOrigin, 'must be an https origin such as https://app.example.com');

function isHttpsOrigin(text: string): boolean {
  return text.startsWith('https://') && URL.parse(text)?.origin === text && !text.includes('*');
}

export const settingsSchema = z.strictObject({
  /** Generated host names of new services are below it; null: `localhost`. */
  rootDomain: hostnameSchema
    .refine(
      (name) => name.length <= rootDomainMax,
      `is too long: names are made below it, so it has at most ${rootDomainMax} characters`,
    )
    .nullable(),
  /** Address that domains are to point at; null: what each host reports. */
  publicIp: z.union([z.ipv4(), z.ipv6()], { error: 'must be an IP address or null' }).nullable(),
  /** Read keys then see empty values of variables. */
  maskValuesForReadKeys: z.boolean(),
  /** Explains failures where a client names no provider; null: the builtin rules, and nothing leaves the platform. */
  defaultAiProviderId: aiProviderIdSchema.nullable(),
  /** AI providers may have plain http and private addresses: for models of one's own, on this machine or its network. */
  allowPrivateAiProviders: z.boolean(),
  /** Where events are told (domain/events); null: nowhere. */
  eventWebhook: eventWebhookSchema.nullable(),
  /** The event webhook may have plain http and a private address: for a receiver of one's own. */
  allowPrivateEventWebhook: z.boolean(),
  /** Where copies of backups lie, without its secret key; null: the R2 bucket of the Worker. */
  backupBucket: backupBucketSchema.nullable(),
  /** The bucket of backups may have plain http and a private address: for a server of one's own. */
  allowPrivateBackupBucket: z.boolean(),
  /** Requests of a key in a minute. */
  readsPerMinute: wholeNumber(1, callsPerMinuteMax),
  writesPerMinute: wholeNumber(1, callsPerMinuteMax),
  /** Of an address (IPv6: a /64). */
  failedSignInsPerMinute: wholeNumber(1, callsPerMinuteMax),
  /** How long the audit log and the counts of failed sign-ins are kept. */
  auditDays: wholeNumber(1, auditDaysMax),
  /** Web pages that may call this API with a key of their own; empty: none, and no CORS header is ever sent. */
  corsOrigins: z.array(originSchema).max(corsOriginsMax, `has more than ${corsOriginsMax} origins`),
});

export type Settings = z.infer<typeof settingsSchema>;

export const defaultSettings: Settings = {
  rootDomain: null,
  publicIp: null,
  maskValuesForReadKeys: false,
  defaultAiProviderId: null,
  allowPrivateAiProviders: false,
  eventWebhook: null,
  allowPrivateEventWebhook: false,
  backupBucket: null,
  allowPrivateBackupBucket: false,
  readsPerMinute: 6_000,
  writesPerMinute: 1_200,
  failedSignInsPerMinute: 60,
  auditDays: 90,
  corsOrigins: [],
};

/** What rows say over the defaults. A stored value that no longer fits its schema counts as absent. */
export function settingsOf(rows: readonly { name: string; value: unknown }[]): Settings {
  const valid = rows.flatMap(({ name, value }) => {
    const schema: z.ZodType | undefined = settingsSchema.shape[name as keyof Settings];
    const parsed = schema?.safeParse(value);
    return parsed?.success ? [[name, parsed.data]] : [];
  });
  return { ...defaultSettings, ...Object.fromEntries(valid) };
}

/** Where nothing is known: the machine itself. */
const unknownPublicIp = '127.0.0.1';

/** The public address of a host: what the operator says, else what the host reports. */
export function publicIpOf(settings: Pick<Settings, 'publicIp'>, reported: string | null): string {
  return settings.publicIp ?? reported ?? unknownPublicIp;
}
