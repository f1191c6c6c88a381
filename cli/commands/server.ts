/** `server`: an instance on this machine, from the package `@longshore/server`. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { buildRouteMap } from '@stricli/core';
import { buildCommand } from '../base/command.ts';
import { usageFailure } from '../base/failure.ts';
import { about, type CommandLine, switchFlag, textFlag, wholeNumber } from '../session.ts';
import { localInstance } from '../settings/contexts.ts';

/** Set by `bundle.ts`; absent when the sources run. */
declare const LONGSHORE_VERSION: string | undefined;

/** Megabytes of the package with its dependencies: the download by npm, and the size after the first start. */
const packageSize = { download: 100, disk: 220 };

export interface InstanceFlags {
  data?: string;
  port?: number;
  httpPort?: number;
  httpsPort?: number;
  demo: boolean;
  detach: boolean;
}

const portFlag = (brief: string) =>
  ({ kind: 'parsed', parse: wholeNumber, brief, optional: true, placeholder: 'number' }) as const;
const dataFlag = textFlag('Instance: directory of all its data (default: .longshore)', 'directory');

/** Flags of an instance, except `--demo`. */
export const instanceFlags = {
  data: dataFlag,
  port: portFlag('Instance: port of the API (default: 8787)'),
  httpPort: portFlag('Instance: port of apps over http (default: 8080)'),
  httpsPort: portFlag('Instance: port of apps over https (default: 8443)'),
  detach: switchFlag('Instance: run in the background, return when it is ready'),
} as const;

/** Runs until the instance ends, or with `detach` until it is ready. */
export function startInstance(process: CommandLine['process'], flags: InstanceFlags): Promise<void> {
  const { data, port, httpPort, httpsPort, demo, detach } = flags;
  const given = { data, port, 'http-port': httpPort, 'https-port': httpsPort };
  const options = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}=${value}`],
  );
  const switches = [...(demo ? [] : ['--no-demo']), ...(detach ? ['--detach'] : [])];
  return runServer(process, data, ['start', ...options, ...switches]);
}

const start = buildCommand({
  docs: about(
    'Start an instance on this machine',
    'Runs a control plane, a runner and a proxy. Needs Linux. Installs Docker, Caddy and ssh if they are missing, after it has listed them. If the package @longshore/server is not installed, npx downloads it, after the size was printed. The data of the instance is in .longshore in this folder, or in the nearest parent folder that has an instance. Commands in that folder and its subfolders then need no login. Ctrl-C stops it; deployed apps keep serving.',
  ),
  parameters: {
    flags: { ...instanceFlags, demo: switchFlag('Instance: also deploy an example app') },
    aliases: { d: 'detach' },
  },
  func(this: CommandLine, flags: InstanceFlags) {
    return startInstance(this.process, flags);
  },
});

interface StopFlags {
  data?: string;
  all: boolean;
  purge: boolean;
}

const stop = buildCommand({
  docs: about(
    'Stop the instance on this machine',
    'Deployed apps keep serving, except with --all or --purge.',
  ),
  parameters: {
    flags: {
      data: dataFlag,
      all: switchFlag('Also stop the deployed apps and the proxy'),
      purge: switchFlag('Like --all, and also remove its containers, networks, images and firewall rules'),
    },
  },
  func(this: CommandLine, { data, all, purge }: StopFlags) {
    const options = [
      ...(data === undefined ? [] : [`--data=${data}`]),
      ...(all ? ['--all'] : []),
      ...(purge ? ['--purge'] : []),
    ];
    return runServer(this.process, data, ['stop', ...options]);
  },
});

export const server = buildRouteMap({
  docs: { brief: 'Run Longshore itself on this machine' },
  routes: { start, stop },
});

/** Runs the package's program; its exit code becomes the exit code of the command. @param data absent: the instance in this folder or above it */
async function runServer(
  process: CommandLine['process'],
  data: string | undefined,
  args: string[],
): Promise<void> {
  const [program, ...before] = programOf(process);
  const own = data === undefined ? await localInstance(process.cwd()) : undefined;
  // Ctrl-C reaches the program directly: both are in the terminal's process group.
  const ignore = () => {};
  process.on('SIGINT', ignore);
  try {
    const child = spawn(program, [...before, ...args], {
      stdio: 'inherit',
      cwd: own?.folder ?? process.cwd(),
      // The program prints commands that can be typed as they are.
      env: { ...process.env, LONGSHORE_COMMAND: isNpx(process.env) ? 'npx longshore' : 'longshore' },
    });
    process.exitCode = await new Promise<number>((resolve, reject) => {
      child.once('error', (error) => reject(usageFailure(`${program} cannot be started: ${error.message}`)));
      child.once('exit', (code) => resolve(code ?? 1));
    });
  } finally {
    process.off('SIGINT', ignore);
  }
}

const isNpx = (env: NodeJS.ProcessEnv) => env.npm_command === 'exec' && env.npm_lifecycle_event === 'npx';

/**
 * The package installed next to this one, else by npx in the same version. Never a package of the current folder, which others may have put there.
 */
function programOf({ stderr }: CommandLine['process']): [string, ...string[]] {
  try {
    return [
      process.execPath,
      createRequire(import.meta.url).resolve('@longshore/server/longshore-server.mjs'),
    ];
  } catch {
    // not installed
  }
  const version = typeof LONGSHORE_VERSION === 'string' ? LONGSHORE_VERSION : 'latest';
  const wanted = `@longshore/server@${version}`;
  const { download, disk } = packageSize;
  stderr.write(
    `Running ${wanted} by npx. The first time it downloads about ${download} MB, which take ${disk} MB of disk.\n`,
  );
  return ['npx', '--yes', wanted];
}
