/** `server`: an instance on this machine, from the package `@longshore/server`. */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { buildCommand, buildRouteMap } from '@stricli/core';
import { usageFailure } from '../base/failure.ts';
import { about, type CommandLine, switchFlag, textFlag, wholeNumber } from '../session.ts';

/** Set by `bundle.ts`; absent when the sources run. */
declare const LONGSHORE_VERSION: string | undefined;

interface StartFlags {
  data?: string;
  port?: number;
  httpPort?: number;
  httpsPort?: number;
  demo: boolean;
  detach: boolean;
}

const portFlag = (brief: string) =>
  ({ kind: 'parsed', parse: wholeNumber, brief, optional: true, placeholder: 'number' }) as const;
const dataFlag = textFlag('Directory of all its data (default: .longshore)', 'directory');

const start = buildCommand({
  docs: about(
    'Start an instance on this machine',
    'Runs a control plane, a runner and a proxy. Needs Linux. Installs Docker, Caddy and ssh if they are missing, and says so first. If the package @longshore/server is not installed, npx fetches it: 5 MB and its dependencies. Commands in this folder and its subfolders then need no login. Ctrl-C stops it; deployed apps keep serving.',
  ),
  parameters: {
    flags: {
      data: dataFlag,
      port: portFlag('Port of the API (default: 8787)'),
      httpPort: portFlag('Port of apps over http (default: 8080)'),
      httpsPort: portFlag('Port of apps over https (default: 8443)'),
      demo: switchFlag('Also deploy an example app'),
      detach: switchFlag('Run in the background: return when it is ready'),
    },
    aliases: { d: 'detach' },
  },
  func(this: CommandLine, { data, port, httpPort, httpsPort, demo, detach }: StartFlags) {
    const given = { data, port, 'http-port': httpPort, 'https-port': httpsPort };
    const options = Object.entries(given).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}=${value}`],
    );
    const switches = [...(demo ? [] : ['--no-demo']), ...(detach ? ['--detach'] : [])];
    return runServer(this.process, ['start', ...options, ...switches]);
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
    return runServer(this.process, ['stop', ...options]);
  },
});

export const server = buildRouteMap({
  docs: { brief: 'Run Longshore itself on this machine' },
  routes: { start, stop },
});

/** Runs the program of the package, whose exit code is that of the command. */
async function runServer(process: CommandLine['process'], args: string[]): Promise<void> {
  const [program, ...before] = programOf();
  // Ctrl-C reaches the program directly: both are in the terminal's process group.
  const ignore = () => {};
  process.on('SIGINT', ignore);
  try {
    const child = spawn(program, [...before, ...args], { stdio: 'inherit' });
    process.exitCode = await new Promise<number>((resolve, reject) => {
      child.once('error', (error) => reject(usageFailure(`${program} cannot be started: ${error.message}`)));
      child.once('exit', (code) => resolve(code ?? 1));
    });
  } finally {
    process.off('SIGINT', ignore);
  }
}

/** The package beside this one, else by npx in the same version. Never one of the current folder, which others may have put there. */
function programOf(): [string, ...string[]] {
  try {
    return [
      process.execPath,
      createRequire(import.meta.url).resolve('@longshore/server/longshore-server.mjs'),
    ];
  } catch {
    // not installed
  }
  const version = typeof LONGSHORE_VERSION === 'string' ? LONGSHORE_VERSION : 'latest';
  return ['npx', '--yes', `@longshore/server@${version}`];
}
