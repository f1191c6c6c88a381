/** Reads and writes `<data>/runner.json`. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../base/replace-file.ts';
import { RunnerError } from '../base/runner-error.ts';
import { acmeInputFrom, acmeSettings } from './acme-settings.ts';
import { type RunnerConfig, runnerConfigSchema } from './config.ts';

export const configPath = (dataDirectory: string) => join(dataDirectory, 'runner.json');

export const isEnrolled = (dataDirectory: string): boolean => existsSync(configPath(dataDirectory));

const allowListSchema = runnerConfigSchema.shape.allowPrivate;

/**
 * The settings of the file, overridden by LONGSHORE_ALLOW_PRIVATE (`git,import,drain`) and LONGSHORE_ACME_... if those are set.
 * @throws RunnerError `not_enrolled`, `config_invalid`, `usage`
 */
export function readConfig(
  dataDirectory: string,
  environment: NodeJS.ProcessEnv = process.env,
): RunnerConfig {
  const path = configPath(dataDirectory);
  if (!existsSync(path)) {
    throw new RunnerError(
      'not_enrolled',
      `${dataDirectory} contains no enrolled runner: run "enroll --url URL --token TOKEN --data ${dataDirectory}" first.`,
    );
  }
  const config = { ...parseConfig(path), ...acmeSettings(acmeInputFrom(environment)) };
  const { LONGSHORE_ALLOW_PRIVATE: allowed } = environment;
  return allowed === undefined ? config : { ...config, allowPrivate: parseAllowPrivate(allowed) };
}

/** Parses `git,import`. @throws RunnerError `usage` for any other word */
export function parseAllowPrivate(text: string): RunnerConfig['allowPrivate'] {
  const words = text.split(',').flatMap((word) => word.trim() || []);
  const parsed = allowListSchema.safeParse(words);
  if (parsed.success) return parsed.data;
  throw new RunnerError(
    'usage',
    `"${text}" is not a list of what may reach private addresses: git, import, drain.`,
  );
}

/** A half-written file would lock the host out. */
export function writeConfig(dataDirectory: string, config: RunnerConfig): void {
  replaceFile(configPath(dataDirectory), `${JSON.stringify(config, null, 2)}\n`);
}

function parseConfig(path: string): RunnerConfig {
  let reason: string;
  try {
    const parsed = runnerConfigSchema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    if (parsed.success) return parsed.data;
    reason = z.prettifyError(parsed.error).replaceAll('\n', ' ');
  } catch (error) {
    reason = error instanceof Error ? error.message : String(error);
  }
  throw new RunnerError('config_invalid', `${path} can't be used: ${reason}`);
}
