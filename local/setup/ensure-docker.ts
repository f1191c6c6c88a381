/** Provides a running Docker Engine: the running one; otherwise it starts it, after installing the distribution's packages if necessary. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectDocker, type DockerEngine, type DockerState, dockerState } from '../docker/engine.ts';
import { lastLine } from '../instance/last-line.ts';
import { processesNamed } from '../instance/process-identity.ts';
import { StartError } from '../start-error.ts';
import { installPackages } from './apt.ts';
import { canRun, runCommand } from './command.ts';
import { installAllowed, rootPrefix } from './privileges.ts';

export interface EnsureDockerOptions {
  docker?: DockerEngine;
  say: (line: string) => void;
  /** The log of a dockerd that is started here. */
  logFile: string;
}

/** The engine on a slow disk first loads its layers after a boot. */
const readyTimeoutMs = 60_000;
const pollMs = 200;
const serviceTimeoutMs = 30_000;

/**
 * Makes sure that the engine answers. Installations and starts are announced beforehand. Nothing is stopped afterwards, because apps
 * outlive the start.
 * @throws StartError with one sentence and, if there is one, the command that fixes the problem.
 */
export async function ensureDocker(options: EnsureDockerOptions): Promise<void> {
  const { docker = connectDocker(), say, logFile } = options;
  const found = await dockerState(docker);
  if (found.state === 'ready') return;
  if (found.state !== 'absent') throw unusable(found);
  if (process.env.DOCKER_HOST) {
    throw new StartError(
      'docker_unavailable',
      `Nothing answers at DOCKER_HOST (${process.env.DOCKER_HOST}).`,
    );
  }
  // An engine that is just starting must not get a second one.
  if (processesNamed('dockerd').length === 0) {
    if (!(await isInstalled())) await install(say);
    if ((await dockerState(docker)).state !== 'ready' && processesNamed('dockerd').length === 0) {
      await startEngine(say, logFile);
    }
  }
  await waitUntilReady(docker, logFile);
}

async function isInstalled(): Promise<boolean> {
  return canRun('dockerd', ['--version']).then((runs) => runs || canRun('/usr/sbin/dockerd', ['--version']));
}

async function install(say: (line: string) => void): Promise<void> {
  const command = 'sudo apt-get install docker.io';
  if (!installAllowed()) {
    throw new StartError(
      'missing_tool',
      'Docker is not installed, and LONGSHORE_NO_INSTALL forbids installing it.',
      {
        command,
      },
    );
  }
  const prefix = await rootPrefix();
  if (prefix === undefined) {
    throw new StartError('missing_tool', 'Docker is not installed, and installing it needs root rights.', {
      command,
    });
  }
  say("Docker is missing: installing the distribution's package docker.io");
  try {
    await installPackages(['docker.io'], prefix);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new StartError('install_failed', `Docker could not be installed: ${why}`, { command, cause });
  }
}

/** Uses the service manager if there is one; otherwise starts a separate process that outlives this one. */
async function startEngine(say: (line: string) => void, logFile: string): Promise<void> {
  const prefix = await rootPrefix();
  const hasSystemd = await exists('/run/systemd/system');
  const command = hasSystemd ? 'sudo systemctl start docker' : 'sudo dockerd';
  if (prefix === undefined) {
    throw new StartError('docker_unavailable', 'Docker is not running, and starting it needs root rights.', {
      command,
    });
  }
  const [file = '', ...args] = [...prefix, ...(hasSystemd ? ['systemctl', 'start', 'docker'] : ['dockerd'])];
  say(`Docker is not running: starting it (${hasSystemd ? 'systemctl start docker' : 'dockerd'})`);
  if (hasSystemd) {
    await runCommand(file, args, { timeoutMs: serviceTimeoutMs }).catch((cause) => {
      throw new StartError('docker_unavailable', `Docker did not start: ${String(cause)}`, {
        command,
        cause,
      });
    });
    return;
  }
  const log = openSync(logFile, 'a', 0o600);
  const path = `${process.env.PATH ?? ''}:/usr/sbin:/sbin`;
  const engine = spawn(file, args, {
    detached: true,
    stdio: ['ignore', log, log],
    cwd: '/',
    env: { ...process.env, PATH: path },
  });
  closeSync(log);
  engine.once('error', () => {});
  engine.unref();
}

async function waitUntilReady(docker: DockerEngine, logFile: string): Promise<void> {
  const deadline = performance.now() + readyTimeoutMs;
  for (;;) {
    const now = await dockerState(docker);
    if (now.state === 'ready') return;
    if (now.state === 'denied') throw unusable(now);
    const gone = now.state === 'absent' && processesNamed('dockerd').length === 0;
    // Waits 5 s before giving up: a process that was just spawned briefly has another name.
    if (performance.now() > deadline || (gone && performance.now() > deadline - readyTimeoutMs + 5_000)) {
      throw new StartError('docker_unavailable', `Docker does not answer. ${lastLine(logFile)}`.trim(), {
        command: 'docker info',
      });
    }
    await sleep(pollMs);
  }
}

function unusable(found: Exclude<DockerState, { state: 'ready' }>): StartError {
  if (found.state === 'denied') {
    return new StartError(
      'docker_unavailable',
      'This user may not use Docker; join the group and sign in again.',
      {
        command: 'sudo usermod -aG docker "$USER"',
      },
    );
  }
  return new StartError('docker_unavailable', `Docker does not work: ${found.detail}.`, {
    command: 'docker info',
  });
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );
