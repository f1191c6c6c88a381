/** The fields of traffic rules that clients set, with their limits. */
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import {
  bodySizes,
  firstByteTimes,
  headerRulesMax,
  idleTimes,
} from '../../../../protocol/traffic/traffic-limits.ts';
import { servedNameSchema } from '../../names/hostname.ts';
import { isChangeable } from './header-names.ts';

const redirectsMax = 50;
const usersMax = 10;
const openPathsMax = 20;
const addressesMax = 100;
const domainsMax = 100;
const textMax = 1_000;
/** Long, because the hash must be fast enough for a Worker, so it does not protect a short password. */
const passwordMin = 12;
const passwordMax = 200;
const retryAfterMax = 86_400;

const domains = z
  .array(servedNameSchema)
  .min(1, 'must name at least one: leave the field out for all names of the service')
  .max(domainsMax, `has too many names: at most ${domainsMax}`)
  .meta({
    description:
      'Names of the service that the rule applies to; absent: all, also those that are added later.',
    examples: [['www.example.com']],
  })
  .optional();

/** The form that browsers send: ASCII, encoded, without query. */
const path = z
  .string()
  .max(textMax, `is too long: at most ${textMax} characters`)
  .regex(/^\/[^\s?#\\]*$/, 'must be a path that starts with "/", without a query')
  .refine(isAscii, 'must be ASCII: percent-encode other characters, as a browser sends them');

const target = z
  .string()
  .max(textMax, `is too long: at most ${textMax} characters`)
  .refine(isTarget, 'must be a URL with http or https and without "#", or a path that starts with "/"');

const redirect = z.strictObject({
  domains,
  fromPath: path
    .meta({ description: 'The path that is redirected; absent: all.', examples: ['/old'] })
    .optional(),
  match: z
    .enum(['exact', 'prefix'])
    .meta({
      description: 'Whether `fromPath` is one path, or also all paths below it (`prefix`, the default).',
      examples: ['prefix'],
    })
    .optional(),
  to: target.meta({
    description: 'Where it leads: a URL, or a path of the same name. The query is kept.',
    examples: ['https://example.com'],
  }),
  permanent: z
    .boolean()
    .meta({
      description: 'Whether browsers and search engines may remember it: 308; otherwise 307, the default.',
      examples: [true],
    })
    .optional(),
  keepPath: z
    .boolean()
    .meta({
      description: 'Whether the path behind a prefix is appended; absent: yes.',
      examples: [true],
    })
    .optional(),
});

const password = z
  .string()
  .min(passwordMin, `is too short: at least ${passwordMin} characters`)
  .max(passwordMax, `is too long: at most ${passwordMax} characters`)
  .meta({
    description: 'Password of the user. Stored as a hash, never returned; absent: it stays as it is.',
    examples: ['correct horse battery'],
  });

const basicAuth = z.strictObject({
  domains,
  users: z
    .array(
      z.strictObject({
        user: z
          .string()
          .regex(/^[\x21-\x39\x3b-\x7e]{1,100}$/, 'must be 1 to 100 printable ASCII characters without ":"')
          .meta({ description: 'Name that a visitor gives.', examples: ['team'] }),
        password: password.optional(),
      }),
    )
    .min(1, 'must have at least one user')
    .max(usersMax, `has too many users: at most ${usersMax}`)
    .meta({ description: 'Who may enter.' }),
  openPaths: z
    .array(path)
    .max(openPathsMax, `has too many paths: at most ${openPathsMax}`)
    .meta({
      description: 'Exact paths that need no password, such as that of a webhook.',
      examples: [['/healthz']],
    })
    .optional(),
});

const maintenance = z.strictObject({
  domains,
  retryAfterSeconds: z
    .int()
    .min(1)
    .max(retryAfterMax)
    .meta({ description: 'Value of `Retry-After`; absent: 300.', examples: [600] })
    .optional(),
  allowedAddresses: z
    .array(z.string().refine(isNetwork, 'must be an IP address, or a network such as "192.0.2.0/24"'))
    .max(addressesMax, `has too many addresses: at most ${addressesMax}`)
    .meta({
      description: 'Addresses and networks whose visitors still reach the app.',
      examples: [['192.0.2.10', '2001:db8::/32']],
    })
    .optional(),
});

const headerRules = z
  .array(
    z
      .strictObject({
        change: z.enum(['set', 'add', 'remove']).meta({
          description: '`set` replaces a header, `add` adds another one with this name.',
          examples: ['set'],
        }),
        header: z
          .string()
          .regex(/^[A-Za-z0-9-]{1,100}$/, 'must be 1 to 100 letters, digits and dashes')
          .refine(isChangeable, "belongs to the connection or to the proxy, and can't be changed")
          .meta({ description: 'Name of the header.', examples: ['X-Frame-Options'] }),
        content: z
          .string()
          .max(textMax, `is too long: at most ${textMax} characters`)
          .regex(/^[\x20-\x7e]*$/, 'must be printable ASCII in one line')
          .meta({ description: 'Its value; absent for `remove`.', examples: ['DENY'] })
          .optional(),
      })
      .refine(
        ({ change, content }) => (change === 'remove') === (content === undefined),
        'needs "content" for "set" and "add", and has none for "remove"',
      ),
  )
  .max(headerRulesMax, `has too many rules: at most ${headerRulesMax}`);

export const trafficRulesBody = z.strictObject({
  redirects: z
    .array(redirect)
    .max(redirectsMax, `has too many redirects: at most ${redirectsMax}`)
    .meta({ description: 'The first one that matches applies.' })
    .optional(),
  basicAuth: basicAuth.nullish().meta({ description: 'Asks visitors for a password; absent or null: none.' }),
  maintenance: maintenance
    .nullish()
    .meta({ description: 'Answers 503 with a page instead of the app; absent or null: not.' }),
  requestHeaders: headerRules.meta({ description: 'Changes of the headers that the app gets.' }).optional(),
  responseHeaders: headerRules.meta({ description: 'Changes of the headers that visitors get.' }).optional(),
  maxBodyMegabytes: z
    .literal(bodySizes)
    .nullish()
    .meta({
      description: 'Largest body of a request, in megabytes of 1,000,000 bytes; absent or null: no limit.',
      examples: [10],
    }),
  firstByteTimeoutSeconds: z
    .literal(firstByteTimes)
    .nullish()
    .meta({
      description:
        'How long the app may take until the first byte of its answer, in seconds; absent or null: no limit.',
      examples: [30],
    }),
  idleTimeoutSeconds: z
    .literal(idleTimes)
    .nullish()
    .meta({
      description:
        'How long the app may send nothing, in seconds, before its answer, event stream or WebSocket is ended; absent or null: no limit. Not for uploads of 1 MB or more.',
      examples: [60],
    }),
  accessLog: z
    .strictObject({
      sample: z
        .number()
        .min(0, 'must be from 0 to 1')
        .max(1, 'must be from 0 to 1')
        .meta({ description: 'Part of the requests that is written; absent: 1, all.', examples: [0.1] })
        .optional(),
    })
    .nullish()
    .meta({
      description:
        'Requests are lines of the runtime log, of the stream `access`; absent or null: they are not.',
    }),
});

export type TrafficRulesBody = z.infer<typeof trafficRulesBody>;

function isAscii(text: string): boolean {
  return /^[\x21-\x7e]*$/.test(text);
}

function isTarget(text: string): boolean {
  if (!isAscii(text) || text.includes('#') || text.includes('\\')) return false;
  if (text.startsWith('/')) return !text.startsWith('//');
  const url = URL.parse(text);
  return url !== null && /^https?:\/\/[^/@]+(\/|\?|$)/i.test(text) && url.username === '';
}

function isNetwork(text: string): boolean {
  return ipaddr.isValid(text) ? /[:]|\..*\..*\./.test(text) && !text.includes('%') : ipaddr.isValidCIDR(text);
}
