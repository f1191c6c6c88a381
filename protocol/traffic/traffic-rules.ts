/** The traffic rules of a service, in the form that the control plane sends to its host. Passwords are included only as hashes. */
import { z } from 'zod';
import { redirectStatuses } from './traffic-limits.ts';

/** The service's names to which a rule applies. Empty: all, including names that are added later. */
const domains = z.array(z.string());

const redirectSchema = z.object({
  domains,
  path: z.string(),
  match: z.enum(['exact', 'prefix']),
  /** An absolute URL, or a path on the same name. */
  to: z.string(),
  status: z.literal(redirectStatuses),
  /** Whether the rest of the path after a prefix is appended. */
  keepPath: z.boolean(),
});

const basicAuthSchema = z.object({
  domains,
  users: z.array(
    z.object({
      name: z.string(),
      /** `<iterations>:<salt>:<hash>`, the last two in base64: PBKDF2 with HMAC-SHA-256. */
      hash: z.string(),
    }),
  ),
  /** Exact paths that need no password, such as a webhook. */
  openPaths: z.array(z.string()),
});

const maintenanceSchema = z.object({
  domains,
  retryAfterSeconds: z.number().int(),
  /** Addresses and networks (CIDR) from which requests still reach the app. */
  allowedAddresses: z.array(z.string()),
});

const headerRuleSchema = z.object({
  action: z.enum(['set', 'add', 'remove']),
  name: z.string(),
  /** Empty for `remove`. */
  value: z.string(),
});

const accessLogSchema = z.object({
  /** The share of requests that is written: from 0, none, to 1, all. */
  sample: z.number().min(0).max(1),
});
export type AccessLogRule = z.infer<typeof accessLogSchema>;

export const trafficRulesSchema = z.object({
  redirects: z.array(redirectSchema),
  basicAuth: basicAuthSchema.nullable(),
  maintenance: maintenanceSchema.nullable(),
  requestHeaders: z.array(headerRuleSchema),
  responseHeaders: z.array(headerRuleSchema),
  maxBodyMegabytes: z.number().nullable(),
  firstByteTimeoutSeconds: z.number().nullable(),
  /** Absent in rules that were stored before this field existed. */
  idleTimeoutSeconds: z.number().nullish(),
  /** Requests are written to the kept logs; null or absent: they are not. Requests themselves are not changed. */
  accessLog: accessLogSchema.nullish(),
});

export type TrafficRules = z.infer<typeof trafficRulesSchema>;
export type RedirectRule = z.infer<typeof redirectSchema>;
export type BasicAuthRule = z.infer<typeof basicAuthSchema>;
export type HeaderRule = z.infer<typeof headerRuleSchema>;
