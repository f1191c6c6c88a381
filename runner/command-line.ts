/** The runner's command line as a value. */
import { parseArgs } from 'node:util';
import { publicIpSchema } from '../protocol/runner-facts.ts';
import { messageOf } from './base/logger.ts';
import { RunnerError } from './base/runner-error.ts';
import type { EnrolOptions } from './enroll.ts';
import { acmeSettings, acmeWordsOf } from './setup/acme-settings.ts';
import { parseAllowPrivate } from './setup/config-file.ts';

export const help = `Longshore's runner: one process a Docker host.

  enroll --url URL --token TOKEN   make this host a runner of the control plane at URL
      --data DIR                   keys, settings, journal (default /var/lib/longshore)
      --name NAME                  shown to the operator (default: the host's name)
      --http-port N                where the apps are served (default 80)
      --https-port N               (default 443)
      --caddy PATH                 the Caddy binary (default: caddy on the PATH)
      --allow-private git,import   what may reach private addresses (default: nothing)
      --acme-ca URL                the ACME directory of the CA that gives certificates (default Let's Encrypt),
                                   or internal: a CA of this host's own
      --acme-email ADDRESS         where the CA writes to (default: nowhere)
      --acme-ca-root FILE          PEM certificate by which a private CA's server is trusted
      --public-ip IP               where the apps' names should point (default: the default route's address)
  run [--data DIR]                 work; ends on SIGTERM, deployed apps go on serving
  --help                           this text

The token may also be given as LONGSHORE_TOKEN, which other users of the host can't see.
run: LONGSHORE_ALLOW_PRIVATE=git,import takes the place of --allow-private, and LONGSHORE_ACME_CA, LONGSHORE_ACME_EMAIL and
LONGSHORE_ACME_CA_ROOT that of the --acme flags. Certificates need the ports 80 and 443: other ones have to be mapped to them.
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
  if (more.length > 0) throw usage(`"${more.join(' ')}" is one word too many.`);
  if (verb === 'run') return { verb, dataDirectory: values.data };
  if (verb === 'enroll') return { verb, options: enrolOptions(values, environment) };
  throw usage(verb === undefined ? 'Say what to do: enroll or run.' : `There is no command "${verb}".`);
}

function enrolOptions(values: Flags, environment: NodeJS.ProcessEnv): EnrolOptions {
  const token = values.token ?? environment.LONGSHORE_TOKEN;
  if (values.url === undefined) throw usage('enroll needs --url, the address of the control plane.');
  if (token === undefined) throw usage('enroll needs --token, which the operator makes.');
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
  const set = acmeWordsOf(environment);
  return acmeSettings({
    ca: values['acme-ca'] ?? set.ca,
    email: values['acme-email'] ?? set.email,
    caRoot: values['acme-ca-root'] ?? set.caRoot,
  });
}

function httpUrl(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url.origin;
  throw usage(`--url ${text} is no http or https address.`);
}

function address(text: string | null): string | null {
  if (publicIpSchema.safeParse(text).success) return text;
  throw usage(`--public-ip ${text} is no IP address.`);
}

function port(flag: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1 && value <= 65_535) return value;
  throw usage(`${flag} ${text} is no port.`);
}

function parseFlags(args: string[]) {
  try {
    return parseArgs({ args, options: flags, allowPositionals: true });
  } catch (error) {
    throw usage(messageOf(error).split('. ')[0] ?? '');
  }
}

const usage = (sentence: string) => new RunnerError('usage', `${sentence} See --help.`);
