/** Limits of log drains that users create. */
import { z } from 'zod';
import { type DrainTarget, earlierSecretsMax } from '../../../protocol/logs/drains.ts';
import { logLevels } from '../../../protocol/logs/log-levels.ts';
import { ApiError } from '../errors.ts';
import { receiverUrl } from '../names/webhook-url.ts';

export const drainKinds = ['http', 'otlp', 'syslog'] as const satisfies readonly DrainTarget['kind'][];
export type DrainKind = (typeof drainKinds)[number];

const nameMax = 60;
const headersMax = 20;
/** Characters of a certificate: a chain of three. */
const certificateMax = 16_000;
/** RFC 9110, section 5.6.2. */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
/** Visible ASCII and spaces inside (RFC 9110, section 5.5). */
const headerValue = /^[!-~]([ -~]*[!-~])?$/;
/** Headers that the host sets, or that the receiver must not get. */
const ownHeaders =
  /^(host|content-(length|type|encoding)|transfer-encoding|connection|upgrade|te|trailer|expect|keep-alive|proxy-.*|webhook-(id|timestamp|signature))$/i;

const headers = z
  .record(
    z
      .string()
      .regex(headerName, 'must be the name of a header, such as "authorization"')
      .refine((name) => !ownHeaders.test(name), 'is a header that the host sets itself'),
    z
      .string()
      .max(2_000, 'is too long: at most 2,000 characters')
      .regex(headerValue, 'must be printable ASCII without spaces at its ends'),
  )
  .refine((all) => Object.keys(all).length <= headersMax, `has too many headers: at most ${headersMax}`)
  .default({})
  .describe('Headers of each request, such as a token. Stored encrypted, never returned.')
  .meta({ examples: [{ authorization: 'Bearer ...' }] });

const hostRule = 'must be a host name or an IP address';
const portRule = 'must be a port from 1 to 65535';

const receivers = {
  http: z
    .strictObject({ url: receiverUrl('https://logs.example.com/in').describe('Gets the lines.'), headers })
    .optional()
    .describe('An address that takes JSON lines (NDJSON), each request signed as a webhook.'),
  otlp: z
    .strictObject({
      url: receiverUrl('https://otlp.example.com/v1/logs').describe('The whole address, with its path.'),
      headers,
    })
    .optional()
    .describe('A receiver of OpenTelemetry: OTLP/HTTP in JSON.'),
  syslog: z
    .strictObject({
      host: z
        .string()
        .min(1, hostRule)
        .max(253, hostRule)
        .regex(/^[0-9A-Za-z._:-]+$/, hostRule)
        .describe('Host name or IP address.')
        .meta({ examples: ['logs.example.com'] }),
      port: z
        .int(portRule)
        .min(1, portRule)
        .max(65_535, portRule)
        .describe('Port.')
        .meta({ examples: [6514] }),
      tls: z.boolean().default(true).describe('Whether the connection is encrypted.'),
      ca: z
        .string()
        .max(certificateMax, `is too long: at most ${certificateMax} characters`)
        .regex(
          /^\s*-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----\s*$/,
          'must be a certificate in PEM',
        )
        .nullable()
        .default(null)
        .describe(
          "The certificate (PEM) of a private CA that verifies the receiver's; null: the public CAs do.",
        ),
    })
    .optional()
    .describe('Syslog (RFC 5424) over TCP, with octet counting (RFC 6587).'),
};

const fields = {
  name: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(nameMax, `must have at most ${nameMax} characters`)
    .regex(/^[^\p{Cc}\p{Cf}]*$/u, 'must not contain control characters')
    .describe('Name, for people.')
    .meta({ examples: ['Loki'] }),
  level: z
    .enum(logLevels)
    .nullable()
    .describe('Only lines of this level and of more severe ones; null: all lines.'),
  enabled: z.boolean().describe('Whether lines are sent. What is printed meanwhile is not sent later.'),
};

type Given = { [Kind in DrainKind]?: unknown };
const givenKinds = (body: Given): DrainKind[] => drainKinds.filter((kind) => body[kind] !== undefined);

/** The body of a new drain: exactly one kind is set. */
export const newDrainSchema = z
  .strictObject({
    name: fields.name,
    level: fields.level.default(null),
    enabled: fields.enabled.default(true),
    ...receivers,
  })
  .refine((body) => givenKinds(body).length === 1, 'needs exactly one of "http", "otlp", "syslog"');
export type NewDrain = z.infer<typeof newDrainSchema>;

/** How long the previous signing secret is used along with a new one. */
const formerSecretMs = 24 * 3_600_000;

export const drainPatchSchema = z
  .strictObject({
    ...fields,
    ...receivers,
    newSigningSecret: z
      .literal(true)
      .describe(
        'Makes a new signing secret, which the answer shows. Those before sign as well, each for a day after it was replaced.',
      )
      .meta({ examples: [true] }),
  })
  .partial()
  .refine((body) => Object.keys(body).length > 0, 'is empty: give at least one field to change')
  .refine((body) => givenKinds(body).length <= 1, 'has the settings of several kinds: give one');
export type DrainPatch = z.infer<typeof drainPatchSchema>;

export type Signing = Pick<Extract<DrainTarget, { kind: 'http' }>, 'secret' | 'former' | 'earlier'>;

/**
 * Adds a new secret; each previous one signs as well until its day is over.
 * @throws ApiError `conflict` if too many are in use
 */
export function renewedSigning(secret: string, known: Signing | undefined, now: number): Signing {
  if (!known) return { secret };
  const still = [...(known.former ? [known.former] : []), ...(known.earlier ?? [])].filter(
    ({ until }) => now < until,
  );
  const last = still.at(-1);
  if (last && still.length > earlierSecretsMax)
    throw new ApiError(
      'conflict',
      `The ${still.length} signing secrets before the current one still sign: try again after ${new Date(last.until).toISOString()}. If one of them must not sign any longer, delete the log drain and create it again.`,
    );
  return {
    secret,
    former: { secret: known.secret, until: now + formerSecretMs },
    ...(still.length > 0 && { earlier: still }),
  };
}

/** The receiver in a body; undefined if the body does not change it. @param signing signs the requests to an `http` receiver */
export function targetOf(
  { http, otlp, syslog }: Pick<DrainPatch, DrainKind>,
  signing: Signing,
): DrainTarget | undefined {
  if (http) return { kind: 'http', ...http, ...signing };
  if (otlp) return { kind: 'otlp', ...otlp };
  return syslog && { kind: 'syslog', ...syslog };
}

/** The part of a receiver's address that may be shown: the path may be a secret. */
export function shownTarget(target: DrainTarget): string {
  if (target.kind !== 'syslog') return new URL(target.url).origin;
  const { host, port, tls } = target;
  return `${tls ? 'syslog+tls' : 'syslog'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
