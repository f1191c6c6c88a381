/** Parses the runner's command line. */
import { parseArgs } from 'node:util';
import { publicIpSchema } from '../protocol/runner-facts.ts';
import { messageOf } from './base/logger.ts';
import { RunnerError } from './base/runner-error.ts';
import type { EnrolOptions } from './enroll.ts';
import { acmeInputFrom, acmeSettings } from './setup/acme-settings.ts';
import { parseAllowPrivate } from './setup/config-file.ts';

export const help = `Longshore's runner: one process per Docker host.

  enroll --url URL --token TOKEN   make this host a runner of the control plane at URL
      --data DIR                   directory for keys, settings and journal (default /var/lib/longshore)
      --name NAME                  name shown to the operator, if the token has none (default: the host's name)
      --http-port N                port that serves apps over HTTP (default 80)
      --https-port N               port that serves apps over HTTPS (default 443)
      --caddy PATH                 the Caddy binary (default: caddy on the PATH)
      --allow-private LIST         what may connect to private addresses: git,import,drain (default: nothing)
      --acme-ca URL                ACME directory of the CA that issues certificates (default Let's Encrypt),
                                   or "internal" for a private CA on this host
      --acme-email ADDRESS         e-mail address that the CA may write to (default: none)
      --acme-ca-root FILE          PEM root certificate, for a private CA whose server needs it
      --public-ip IP               address that the apps' DNS names should point to (default: the default route's address)
  run [--data DIR]                 run the jobs of this host; stops on SIGTERM, deployed apps keep running
  --help                           show this text

The token can also be given as LONGSHORE_TOKEN, which other users of the host can't see.
For run, LONGSHORE_ALLOW_PRIVATE=git,import overrides --allow-private, and LONGSHORE_ACME_CA, LONGSHORE_ACME_EMAIL and
LONGSHORE_ACME_CA_ROOT override the --acme flags. Certificates need ports 80 and 443: map them to the ports you choose here.
Exit code 78: a restart would not help.
`;

export type Command =
  | { verb: 'help' }
  | { verb: 'run'; dataDirectory: string }
  | { verb: 'enroll'; options: EnrolOptions };

const defaultDataDirectory = '/var/lib/longshore';

const flags = {
  help: { type: 'boolean', short: 'h', default: false },
  data: { type: 'string', default: defaultDataDirectory },
  url: { type: 'string' },
  token: { type: 'string' },
  name: { type: 'string' },
  'http-port': { type: 'string', default: '80' },
  'https-port': { type: 'string', default: '443' },
  caddy: { type: 'string', default: 'caddy' },
  'allow-private': { type: 'string', default: '' },
  'public-ip': { type: 'string' },
  'acme-ca': { type: 'string' },
  'acme-email': { type: 'string' },
  'acme-ca-root': { type: 'string' },
} as const;

type Flags = ReturnType<typeof parseFlags>['values'];

/** @throws RunnerError `usage` */
export function parseCommandLine(args: string[], environment: NodeJS.ProcessEnv = process.env): Command {
  const { values, positionals } = parseFlags(args);
  const [verb, ...more] = positionals;
  if (values.help || (verb === undefined && args.length === 0)) return { verb: 'help' };
  if (more.length > 0) throw usage(`"${more.join(' ')}" is not expected here.`);
  if (verb === 'run') return { verb, dataDirectory: values.data };
  if (verb === 'enroll') return { verb, options: enrolOptions(values, environment) };
  throw usage(verb === undefined ? 'Name a command: enroll or run.' : `There is no command "${verb}".`);
}

function enrolOptions(values: Flags, environment: NodeJS.ProcessEnv): EnrolOptions {
  const token = values.token ?? environment.LONGSHORE_TOKEN;
  if (values.url === undefined) throw usage('enroll needs --url, the address of the control plane.');
  if (token === undefined)
    throw usage('enroll needs --token, or LONGSHORE_TOKEN: create the token in the control plane.');
  return {
    dataDirectory: values.data,
    url: httpUrl(values.url),
    token,
    name: values.name,
    httpPort: port('--http-port', values['http-port']),
    httpsPort: port('--https-port', values['https-port']),
    caddyPath: values.caddy,
    allowPrivate: parseAllowPrivate(values['allow-private']),
    publicIp: address(values['public-ip'] ?? null),
    acme: acmeOptions(values, environment),
  };
}

function acmeOptions(values: Flags, environment: NodeJS.ProcessEnv): EnrolOptions['acme'] {
  const set = acmeInputFrom(environment);
  return acmeSettings({
    ca: values['acme-ca'] ?? set.ca,
    email: values['acme-email'] ?? set.email,
    caRoot: values['acme-ca-root'] ?? set.caRoot,
  });
}

function httpUrl(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url.origin;
  throw usage(`--url ${text} is not an http or https address.`);
}

function address(text: string | null): string | null {
  if (publicIpSchema.safeParse(text).success) return text;
  throw usage(`--public-ip ${text} is not an IP address.`);
}

function port(flag: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 65_535) return value;
  throw usage(`${flag} ${text} is not a port from 1 to 65535.`);
}

function parseFlags(args: string[]) {
  try {
    return parseArgs({ args, options: flags, allowPositionals: true });
  } catch (error) {
    throw usage(messageOf(error).split('. ')[0] ?? '');
  }
}

const usage = (sentence: string) => new RunnerError('usage', `${sentence} See --help.`);
