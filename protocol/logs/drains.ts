/** Log drains, which send the lines that hosts keep to receivers: settings from the control plane, and reports of the host. */
import { z } from 'zod';
import { logLevels } from './log-levels.ts';

/** Most drains of a project. */
export const drainsMax = 5;
/** Most drains of one host, and most services of one drain on it. */
export const drainsOfHostMax = 500;
export const drainedServicesMax = 1_000;
const textMax = 2_000;
const certificateMax = 16_000;

/** Most earlier secrets of a drain that sign in addition to the newest former one. */
export const earlierSecretsMax = 3;
const formerSecretSchema = z.object({ secret: z.string().max(200), until: z.number().int() });

const headers = z.record(z.string().max(100), z.string().max(textMax));

export const drainTargetSchema = z.discriminatedUnion('kind', [
  /** NDJSON; `secret` signs each request as a webhook. */
  z.object({
    ...{ kind: z.literal('http'), url: z.string().max(textMax), headers, secret: z.string().max(200) },
    /** The previous secret, which also signs until then (epoch milliseconds), so that the receiver may have either. */
    former: formerSecretSchema.optional(),
    /** The secrets before the previous one, newest first. Runners that are older than this field sign only with `former`. */
    earlier: z.array(formerSecretSchema).max(earlierSecretsMax).optional(),
  }),
  /** OTLP/HTTP in JSON, to exactly this URL. */
  z.object({ kind: z.literal('otlp'), url: z.string().max(textMax), headers }),
  /** RFC 5424 over TCP or TLS. */
  z.object({
    kind: z.literal('syslog'),
    host: z.string().max(253),
    port: z.number().int().min(1).max(65_535),
    tls: z.boolean(),
    /** The certificate (PEM) that verifies the receiver's; null: those of the public CAs. */
    ca: z.string().max(certificateMax).nullable(),
  }),
]);
export type DrainTarget = z.infer<typeof drainTargetSchema>;

/** How a drain's receiver is reached. */
export const drainReceiverSchema = z.object({
  target: drainTargetSchema,
  /** Whether the control plane allows http and private addresses for its tenant. The host's operator has to allow them too. */
  allowPrivate: z.boolean(),
});
export type DrainReceiver = z.infer<typeof drainReceiverSchema>;

export const drainSchema = drainReceiverSchema.extend({
  id: z
    .string()
    .regex(/^drn_\w+$/)
    .max(64),
  /** Send only lines of this level and of more severe levels; null: all. */
  level: z.enum(logLevels).nullable(),
  /** Slug of the project. */
  project: z.string().max(100),
  services: z
    .array(
      z.object({
        id: z
          .string()
          .regex(/^svc_\w+$/)
          .max(64),
        slug: z.string().max(100),
      }),
    )
    .max(drainedServicesMax),
});
export type Drain = z.infer<typeof drainSchema>;

/** All drains of a host. They contain secrets, so the whole list is encrypted for the host (`requestPlace`, operation `drainsPlace`). */
export const drainsSchema = z.array(drainSchema).max(drainsOfHostMax);
export const drainsPlace = 'log-drains';
/** In `welcome` and `log-drains`: encrypted drains; null: there are none. */
export const sealedDrainsSchema = z.string().nullable();

/** Most lines that may wait; older ones are dropped and counted. */
export const drainLagHours = 24;

export const drainStatusSchema = z.object({
  /** Counted since the host has the drain. */
  sentLines: z.number().int().nonnegative(),
  droppedLines: z.number().int().nonnegative(),
  /** How often the host has removed lines before they were sent, because its disk was full. The removed lines were not counted. */
  gaps: z.number().int().nonnegative(),
  /** Time of the oldest waiting line in epoch milliseconds; null: no line waits. */
  waitingSince: z.number().int().nullable(),
  /** Epoch milliseconds; null: never. */
  lastSentAt: z.number().int().nullable(),
  /** Why the last attempt failed; null: it did not fail. */
  lastError: z.string().max(1_000).nullable(),
  lastErrorAt: z.number().int().nullable(),
});
export type DrainStatus = z.infer<typeof drainStatusSchema>;
/** The answer to `drain-status`; null: the host does not have the drain. */
export const drainStatusAnswerSchema = drainStatusSchema.nullable();

/** The answer to `test-drain`. `detail` is a sentence. */
export const drainTestSchema = z.object({
  ok: z.boolean(),
  detail: z.string().max(1_000),
  durationMs: z.number().int().nonnegative(),
});
export type DrainTest = z.infer<typeof drainTestSchema>;
