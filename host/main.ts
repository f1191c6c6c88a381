/** The command `longshore-host`: installs, upgrades and removes the runner of this machine. */
import { parseArgs } from 'node:util';
import { createOutput, processTarget } from '../local/output.ts';
import { StartError } from '../local/start-error.ts';
import { install } from './install.ts';
import { ownRelease, placesUnder } from './places.ts';
import { remove } from './remove.ts';
import { upgrade } from './upgrade.ts';

const help = `longshore-host: the runner of this machine. Needs root.

  install --url URL     make this machine a host of the control plane at URL; can be run again.
                        The token is read from LONGSHORE_TOKEN
      --name NAME       name shown to the operator, if the token has none
      --public-ip IP    address that the apps' DNS names should point to
      --http-port N, --https-port N   ports that serve apps (default 80 and 443)
      --acme-email ADDRESS, --allow-private git,import,drain   as for "runner enroll"
  upgrade               install the release that the control plane offers; the one before
                        comes back if the new one does not connect
  remove [--purge]      end the runner and remove its programs; with --purge also apps and proxy.
                        Data stays
  --help                show this text

LONGSHORE_NPM_REGISTRY: where Node is downloaded from (default: as the control plane's packages).`;

/** Passed on to `runner enroll`, which checks them. */
const enrolFlags = ['name', 'http-port', 'https-port', 'public-ip', 'acme-email', 'allow-private'] as const;

const output = createOutput(processTarget());
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  output.fail(error);
  process.exitCode = error instanceof StartError && error.code === 'option' ? 2 : 1;
}

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parse(args);
  const [verb, ...more] = positionals;
  if (values.help || verb === undefined) {
    output.print(help);
    return values.help ? 0 : 2;
  }
  if (more.length > 0) throw usage(`"${more.join(' ')}" is not expected here.`);
  const places = placesUnder(values.root);
  if (process.getuid?.() !== 0) throw usage('Run this as root.');
  switch (verb) {
    case 'install': {
      const url = URL.parse(values.url ?? '');
      if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
        throw usage('install needs --url, the http or https address of the control plane.');
      const enrol = enrolFlags.flatMap((name) =>
        values[name] === undefined ? [] : [`--${name}`, values[name]],
      );
      return install(
        places,
        ownRelease(),
        { url: url.origin, enrol, token: process.env.LONGSHORE_TOKEN },
        output,
      );
    }
    case 'upgrade':
      return upgrade(places, output);
    case 'remove':
      return remove(places, { purge: values.purge }, output);
    default:
      throw usage(`There is no command "${verb}".`);
  }
}

function parse(args: string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        url: text,
        ...{
          name: text,
          'http-port': text,
          'https-port': text,
          'public-ip': text,
          'acme-email': text,
          'allow-private': text,
        },
        purge: { type: 'boolean', default: false },
        // A directory in place of `/`, for tests.
        root: { type: 'string', default: '/' },
      },
    });
  } catch (error) {
    throw usage((error as Error).message.split('. ')[0] ?? '');
  }
}

function usage(sentence: string): StartError {
  return new StartError('option', `${sentence} See longshore-host --help.`);
}
