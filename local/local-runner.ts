/** The runner of this machine: enrolled once, then a child process that is restarted whenever it dies. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type RunnerConfig, runnerConfigSchema } from '../runner/setup/config.ts';
import type { ApiClient } from './api-client.ts';
import { lastLine } from './instance/last-line.ts';
import { readJson, writePrivateJson } from './instance/private-file.ts';
import { endProcess, identify, type ProcessIdentity } from './instance/process-identity.ts';
import { CommandFailed, runCommand } from './setup/command.ts';
import { StartError } from './start-error.ts';

/** The values of the runner's settings for this start. */
export interface LocalRunnerSettings {
  projectRoot: string;
  /** The runner's own data directory. */
  directory: string;
  url: string;
  httpPort: number;
  httpsPort: number;
  caddyPath: string;
}

const enrolTimeoutMs = 60_000;
const connectTimeoutMs = 20_000;
const connectPollMs = 50;
/** The time that a runner has to stop its jobs. Then it is killed, and its journal recovers the rest. */
const stopGraceMs = 15_000;
/**
 * The first and the longest pause before a dead runner is restarted. The first one is short: edge and Caddy, if they died together with the
 * runner, are down until it is back.
 */
const restartDelayMs = { first: 50, longest: 30_000 };
/** A runner that lived this long had started properly, so its next restart gets the first pause again. A broken one ends sooner. */
const stableAfterMs = 3_000;

/** Both kinds of address are private here: the demo's repository is served on loopback. */
const allowedPrivate = 'git,import';

const enrolmentSchema = z.object({ token: z.string() });
const runnersSchema = z.object({ runners: z.array(z.object({ id: z.string(), connected: z.boolean() })) });

/** The current settings file; undefined before the first enrolment. */
export const readRunnerConfig = (directory: string): RunnerConfig | undefined =>
  readJson(join(directory, 'runner.json'), runnerConfigSchema);

/** Enrols the runner if necessary, and updates its settings. @returns its id. */
export async function ensureEnrolled(operator: ApiClient, settings: LocalRunnerSettings): Promise<string> {
  const known = readRunnerConfig(settings.directory);
  if (known !== undefined && (await isRegistered(operator, known.runnerId))) {
    const { url, httpPort, httpsPort, caddyPath } = settings;
    writePrivateJson(join(settings.directory, 'runner.json'), {
      ...known,
      url,
      httpPort,
      httpsPort,
      caddyPath,
    });
    return known.runnerId;
  }
  const { token } = await operator.call('POST', '/api/system/runners', enrolmentSchema, { name: 'local' });
  await enrol(settings, token);
  const enrolled = readRunnerConfig(settings.directory);
  if (enrolled === undefined)
    throw new StartError('runner_failed', 'The runner enrolled but wrote no settings.');
  return enrolled.runnerId;
}

async function isRegistered(operator: ApiClient, runnerId: string): Promise<boolean> {
  const { runners } = await operator.call('GET', '/api/system/runners', runnersSchema);
  return runners.some((runner) => runner.id === runnerId);
}

async function enrol(settings: LocalRunnerSettings, token: string): Promise<void> {
  const options = {
    '--url': settings.url,
    '--data': settings.directory,
    '--name': 'local',
    '--http-port': String(settings.httpPort),
    '--https-port': String(settings.httpsPort),
    '--caddy': settings.caddyPath,
    '--allow-private': allowedPrivate,
  };
  try {
    const args = ['runner/main.ts', 'enroll', ...Object.entries(options).flat()];
    // Passed in the environment: other users of the machine can read command lines.
    const env = { ...process.env, LONGSHORE_TOKEN: token };
    await runCommand(process.execPath, args, { timeoutMs: enrolTimeoutMs, cwd: settings.projectRoot, env });
  } catch (cause) {
    const why = cause instanceof CommandFailed && cause.stderr !== '' ? cause.stderr : String(cause);
    throw new StartError(
      'runner_failed',
      `The local runner could not be enrolled: ${why.replaceAll(token, '***')}`,
      { cause },
    );
  }
}

export interface LocalRunner {
  stop(): Promise<void>;
}

export interface RunnerProcessOptions {
  projectRoot: string;
  directory: string;
  logFile: string;
  /** Called with the current process; null while there is none. */
  onProcess: (identity: ProcessIdentity | null) => void;
  say: (line: string) => void;
}

/** Starts the runner and keeps it running until it is stopped. It has its own process group, so Ctrl-C reaches it only through `stop`. */
export function startRunner(options: RunnerProcessOptions): LocalRunner {
  const stopping = new AbortController();
  let current: ProcessIdentity | null = null;
  const keepRunning = async () => {
    let delayMs = restartDelayMs.first;
    while (!stopping.signal.aborted) {
      const startedAt = performance.now();
      const code = await runOnce(options, (identity) => {
        current = identity;
        options.onProcess(identity);
      });
      if (stopping.signal.aborted) return;
      if (performance.now() - startedAt > stableAfterMs) delayMs = restartDelayMs.first;
      options.say(
        `the runner ended (${code}); starting it again in ${delayMs / 1000} s, see ${options.logFile}`,
      );
      await sleep(delayMs, undefined, { signal: stopping.signal }).catch(() => {});
      delayMs = Math.min(delayMs * 2, restartDelayMs.longest);
    }
  };
  const ended = keepRunning();
  return {
    async stop() {
      stopping.abort();
      if (current !== null) await endProcess(current, stopGraceMs);
      await ended;
    },
  };
}

/**
 * V8's young generation grows to 16 MB while a program loads, and keeps that size. A small one costs a few percent of CPU. The old generation
 * is collected when it has grown by half; without a limit it became four times as large.
 */
const runnerFlags = ['--max-semi-space-size=1', '--heap-growing-percent=50'];

function runOnce(
  options: RunnerProcessOptions,
  onProcess: (identity: ProcessIdentity | null) => void,
): Promise<string> {
  const log = openSync(options.logFile, 'a', 0o600);
  const args = [...runnerFlags, 'runner/main.ts', 'run', '--data', options.directory];
  const child = spawn(process.execPath, args, {
    cwd: options.projectRoot,
    detached: true,
    stdio: ['ignore', log, log],
    env: { ...process.env, LONGSHORE_ALLOW_PRIVATE: allowedPrivate },
  });
  closeSync(log);
  const identity = child.pid === undefined ? undefined : identify(child.pid);
  if (identity !== undefined) onProcess(identity);
  return new Promise((resolve) => {
    const end = (reason: string) => {
      onProcess(null);
      resolve(reason);
    };
    child.once('error', (error) => end(error.message));
    child.once('exit', (code, signal) => end(signal ?? `exit code ${code}`));
  });
}

/** Waits until the runner is connected to the control plane. @throws StartError `runner_failed` */
export async function waitUntilConnected(
  operator: ApiClient,
  runnerId: string,
  logFile: string,
): Promise<void> {
  const deadline = performance.now() + connectTimeoutMs;
  while (performance.now() < deadline) {
    const { runners } = await operator.call('GET', '/api/system/runners', runnersSchema);
    if (runners.find((runner) => runner.id === runnerId)?.connected === true) return;
    await sleep(connectPollMs);
  }
  const seconds = connectTimeoutMs / 1000;
  throw new StartError(
    'runner_failed',
    `The local runner did not connect within ${seconds} s: ${lastLine(logFile)}`,
  );
}
