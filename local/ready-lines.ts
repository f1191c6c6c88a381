/** The closing box: the addresses, the assumptions, and the next steps to try. */
import { join } from 'node:path';
import type { Demo } from './demo/demo.ts';
import type { LocalFile } from './instance/local-file.ts';
import { isDefaultData, shellWord, stopCommand } from './instance/shell-command.ts';
import { hostAndPort } from './listen-address.ts';
import type { StartOptions } from './options.ts';
import { commandLine, programRoot } from './program.ts';

export interface ReadyFacts {
  local: LocalFile;
  /** Signs a browser in, once. */
  signIn: string;
  demo: Demo | undefined;
  localFile: string;
  /** Base images that were built here because no container registry answers. */
  standIns: string[];
  seconds: number;
  options: StartOptions;
  /** True if the command line started the instance: then its user has `longshore`. */
  isPackage: boolean;
}

/** The note about two engines without stand-ins: Debian has no packages of them. */
const withoutRegistry =
  'MongoDB and ClickHouse need a container registry, or images that you load by hand (docker load).';

/** Lines that begin with two blanks are commands for copying. */
export function readyLines(facts: ReadyFacts): string[] {
  const { local, signIn, demo, localFile, standIns, seconds } = facts;
  return [
    `Longshore is ready (${seconds.toFixed(1)} s)`,
    '',
    `Open  ${signIn}   the dashboard; signs one browser in, within 15 minutes`,
    ...(demo === undefined ? [] : [`App   ${demo.localUrl}   in a browser also ${demo.primaryUrl}`]),
    `API   ${local.url}${facts.options.listen === undefined ? '' : `   for other machines http://${hostAndPort(facts.options.listen, facts.options.port)}`}`,
    `Key   ${localFile} ("apiKey", mode 0600)`,
    '',
    ...standIns.map(
      (image) => `No container registry answers: ${image} is a stand-in that was built here, without apt.`,
    ),
    ...(standIns.length === 0 ? [] : [withoutRegistry]),
    'The local runner may reach private addresses for git, imports and log drains.',
    '',
    'Try next, in the folder of an app:',
    ...tryNext(facts),
    '',
    `Stop: ${stopCommand(facts.options.data)}   (deployed apps keep running; --all stops them too)`,
  ];
}

function tryNext({ local, localFile, options, isPackage }: ReadyFacts): string[] {
  const readKey = `node -p 'JSON.parse(fs.readFileSync(process.argv[1])).apiKey' ${shellWord(localFile)}`;
  const program = shellWord(join(programRoot, 'dist/longshore.mjs'));
  const build = isPackage
    ? []
    : [`  npm run cli --prefix ${shellWord(programRoot)} && alias longshore=${program}`];
  // The command line of the package needs no login in the folder of its instance.
  const isLoggedIn = isPackage && isDefaultData(options.data);
  const login = isLoggedIn ? [] : [`  ${readKey} | ${commandLine} login ${local.url} --stdin`];
  return [...build, ...login, ...['up', 'logs -f', '--help'].map((command) => `  ${commandLine} ${command}`)];
}
