/** The options of `npm start -- ...` and `npm stop -- ...`. */

import { parseArgs } from 'node:util';
import { defaultDataDirectory } from './instance/data-directory.ts';
import { privateAddress } from './listen-address.ts';
import { typed } from './program.ts';
import { StartError } from './start-error.ts';

export interface StartOptions {
  data: string;
  port: number;
  /** A private address of this machine on which other machines reach it; `undefined` for 127.0.0.1 only. */
  listen: string | undefined;
  httpPort: number;
  httpsPort: number;
  demo: boolean;
  detach: boolean;
  /** Only the control plane, for the operator (docs/operate/recovery.md). */
  paused: boolean;
}

export interface StopOptions {
  data: string;
  /** Also ends the apps, Caddy and edge. */
  all: boolean;
  /** Like `all`; also removes this instance's containers, networks, images and firewall rules. */
  purge: boolean;
}

export const startHelp = `${typed('start', '[options]')}
  --data DIR         directory for all data              (.longshore)
  --port N           API                                 (8787)
  --listen ADDRESS   also serve the API at this address of a private network, over
                     plain http, for hosts that are other machines
  --http-port N      apps over http                      (8080)
  --https-port N     apps over https                     (8443)
  --no-demo          do not deploy examples/hello
  --detach           return once it is ready, keep running in the background
  --paused           only the control plane, and only for its operator
  --help             this text`;

export const stopHelp = `${typed('stop', '[options]')}
  --data DIR         the instance to stop                (.longshore)
  --all              also stop the deployed apps and the proxy
  --purge            --all, and also remove this instance's containers, networks,
                     images and firewall rules
  --help             this text`;

export const setUpHelp = `npm run setup -- [options]
  --data DIR         where tools are unpacked            (.longshore)
  --help             this text`;

export interface CloudflareOptions {
  data: string;
  /** The location of a new D1 database; `undefined` if the database exists. */
  location: string | undefined;
  /** The mark of this installation in its ids and tokens; `undefined` to keep it unchanged. */
  cell: string | undefined;
  /** The address of the Worker; `undefined` for the one that Cloudflare assigns. */
  url: string | undefined;
}

/** developers.cloudflare.com/d1/configuration/data-location */
const locations = ['weur', 'eeur', 'apac', 'oc', 'wnam', 'enam'];

export const cloudflareHelp = `npm run cloudflare -- [options]
  --location REGION  where the database is made: ${locations.join(', ')}
                     (needed once; it can't be moved later)
  --cell XX          two letters or digits that begin its ids and tokens: give a
                     second installation its own        (a0)
  --url URL          the address of the Worker, if it has a domain of yours
  --data DIR         where its keys are kept             (.longshore)
  --help             this text`;

/** @returns `help` when it was requested. @throws StartError `option` with the list of options. */
export function parseCloudflareOptions(args: string[]): CloudflareOptions | 'help' {
  const values = parse(args, cloudflareHelp, {
    data: { type: 'string', default: defaultDataDirectory },
    location: { type: 'string', default: '' },
    cell: { type: 'string', default: '' },
    url: { type: 'string', default: '' },
    help: { type: 'boolean', default: false },
  });
  if (values.help === true) return 'help';
  const { cell, location, url } = values;
  if (cell !== '' && !/^[a-z0-9]{2}$/.test(String(cell)))
    throw new StartError('option', `--cell must be two lower-case letters or digits, not "${cell}".`);
  if (location !== '' && !locations.includes(String(location)))
    throw new StartError('option', `--location must be one of ${locations.join(', ')}, not "${location}".`);
  if (url !== '' && !/^https?:$/.test(URL.parse(String(url))?.protocol ?? ''))
    throw new StartError(
      'option',
      `--url must be an address such as https://deploy.example.com, not "${url}".`,
    );
  return {
    data: directory(values.data, cloudflareHelp),
    location: location === '' ? undefined : String(location),
    cell: cell === '' ? undefined : String(cell),
    url: url === '' ? undefined : String(url),
  };
}

export interface RestoreOptions {
  data: string;
  /** The dump's id; `undefined` if its files are in `from`. */
  dump: string | undefined;
  from: string | undefined;
  /** `local`: into the embedded database; `cloudflare`: SQL from a dump in R2; `file`: SQL from files. */
  place: 'local' | 'cloudflare' | 'file';
  /** Only the rows of this service, project or host. */
  only: string | undefined;
}

export const restoreHelp = `npm run restore -- [options]
  --dump ID          the dump (GET /api/system/dumps lists them)
  --from DIR         its files, if they are on this machine already
  --local            into the embedded control plane of npm start
  --only ID          add only the rows of this service, project or host
  --data DIR         directory of all data               (.longshore)
  --help             this text

Without --local it writes SQL for wrangler d1 execute, from R2 or from --from.`;

/** @returns `help` when it was requested. @throws StartError `option` with the list of options. */
export function parseRestoreOptions(args: string[]): RestoreOptions | 'help' {
  const values = parse(args, restoreHelp, {
    data: { type: 'string', default: defaultDataDirectory },
    dump: { type: 'string', default: '' },
    from: { type: 'string', default: '' },
    only: { type: 'string', default: '' },
    local: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  });
  if (values.help === true) return 'help';
  const given = (value: unknown) => (value === '' ? undefined : String(value));
  const [dump, from, only] = [given(values.dump), given(values.from), given(values.only)];
  if ((dump === undefined) === (from === undefined))
    throw new StartError('option', `Give either --dump or --from. The options are:\n${restoreHelp}`);
  if (dump !== undefined && !/^\d{8}T\d{9}Z$/.test(dump))
    throw new StartError('option', `--dump must be an id such as 20261123T020000000Z, not "${dump}".`);
  if (only !== undefined && !/^[a-z]{3}_[a-z0-9]{16}$/.test(only))
    throw new StartError('option', `--only must be the id of a service, project or host, not "${only}".`);
  const place = values.local === true ? 'local' : from === undefined ? 'cloudflare' : 'file';
  return { data: directory(values.data, restoreHelp), dump, from, only, place };
}

/** @returns `help` when it was requested. @throws StartError `option` with the list of options. */
export function parseStartOptions(args: string[]): StartOptions | 'help' {
  const values = parse(args, startHelp, {
    data: { type: 'string', default: defaultDataDirectory },
    port: { type: 'string', default: '8787' },
    listen: { type: 'string', default: '' },
    'http-port': { type: 'string', default: '8080' },
    'https-port': { type: 'string', default: '8443' },
    'no-demo': { type: 'boolean', default: false },
    detach: { type: 'boolean', default: false },
    paused: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  });
  if (values.help === true) return 'help';
  const options = {
    data: directory(values.data, startHelp),
    port: port('--port', values.port),
    listen: values.listen === '' ? undefined : privateAddress(String(values.listen)),
    httpPort: port('--http-port', values['http-port']),
    httpsPort: port('--https-port', values['https-port']),
    demo: values['no-demo'] !== true,
    detach: values.detach === true,
    paused: values.paused === true,
  };
  if (new Set([options.port, options.httpPort, options.httpsPort]).size < 3) {
    throw new StartError('option', '--port, --http-port and --https-port must be three different ports.');
  }
  return options;
}

/** @returns `help` when it was requested. @throws StartError `option` with the list of options. */
export function parseStopOptions(args: string[]): StopOptions | 'help' {
  const values = parse(args, stopHelp, {
    data: { type: 'string', default: defaultDataDirectory },
    all: { type: 'boolean', default: false },
    purge: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  });
  if (values.help === true) return 'help';
  const purge = values.purge === true;
  return { data: directory(values.data, stopHelp), all: purge || values.all === true, purge };
}

/** @returns `help` when it was requested. @throws StartError `option` with the list of options. */
export function parseSetUpOptions(args: string[]): { data: string } | 'help' {
  const values = parse(args, setUpHelp, {
    data: { type: 'string', default: defaultDataDirectory },
    help: { type: 'boolean', default: false },
  });
  return values.help === true ? 'help' : { data: directory(values.data, setUpHelp) };
}

type Known = Record<string, { type: 'string' | 'boolean'; default: string | boolean }>;

function parse(args: string[], help: string, options: Known): Record<string, string | boolean | undefined> {
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: false }).values;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.split('. ')[0] : String(cause);
    throw new StartError('option', `${reason}. The options are:\n${help}`, { cause });
  }
}

function directory(value: string | boolean | undefined, help: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new StartError('option', `--data needs a directory. The options are:\n${help}`);
}

function port(option: string, value: string | boolean | undefined): number {
  const number = typeof value === 'string' && /^\d{1,5}$/.test(value) ? Number(value) : 0;
  if (number >= 1 && number <= 65_535) return number;
  throw new StartError('option', `${option} must be a port from 1 to 65535, not "${String(value)}".`);
}
