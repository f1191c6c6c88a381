/** The runner of this machine: enrolled once by the start, and connected. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type RunnerConfig, runnerConfigSchema } from '../runner/setup/config.ts';
import type { ApiClient } from './api-client.ts';
import { lastLine } from './instance/last-line.ts';
import { readJson, writePrivateJson } from './instance/private-file.ts';
import { allowedPrivate } from './keeper/runner-process.ts';
import { runnerProgram } from './program.ts';
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
/** Connecting takes a second or two; on a busy machine, programs that start for the first time took more than 20 s. */
const connectTimeoutMs = 60_000;
const connectPollMs = 50;
const enrolmentSchema = z.object({ token: z.string() });
const runnersSchema = z.object({
  runners: z.array(
    z.object({
      id: z.string(),
      connected: z.boolean(),
      /** The reason why the runner can't start its parts. */
      facts: z.object({ trouble: z.string().nullish() }).optional(),
    }),
  ),
});

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
    const args = [runnerProgram, 'enroll', ...Object.entries(options).flat()];
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

/** Waits until the runner is connected to the control plane. @throws StartError `runner_failed` */
export async function waitUntilConnected(
  operator: ApiClient,
  runnerId: string,
  logFile: string,
  timeoutMs = connectTimeoutMs,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  let trouble: string | undefined;
  while (performance.now() < deadline) {
    const { runners } = await operator.call('GET', '/api/system/runners', runnersSchema);
    const runner = runners.find(({ id }) => id === runnerId);
    trouble = runner?.facts?.trouble ?? undefined;
    if (runner?.connected === true && trouble === undefined) return;
    await sleep(connectPollMs);
  }
  if (trouble !== undefined)
    throw new StartError('runner_failed', `The local runner can't start: ${trouble} (${logFile})`);
  const last = lastLine(logFile);
  const said = last === '' ? 'Its log is empty' : `Its log ends with: ${last}`;
  throw new StartError(
    'runner_failed',
    `The local runner did not connect within ${timeoutMs / 1000} s. Repeat the command: what is done stays done. ${said} (${logFile})`,
  );
}
