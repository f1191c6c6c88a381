/** A child process of a test, with its output; killed at the test's end if it still runs. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { until } from './until.ts';

export interface Child {
  pid: number;
  output(): string;
  printed(words: string): Promise<unknown>;
  /** Resolves with the exit code or the signal's name. */
  ended: Promise<number | string>;
  kill(signal: NodeJS.Signals): Promise<number | string>;
}

const projectRoot = fileURLToPath(new URL('../../..', import.meta.url));

/** @param script relative to the project */
export function startChild(script: string, args: string[], env: NodeJS.ProcessEnv = {}): Child {
  const child = spawn(process.execPath, [script, ...args], {
    cwd: projectRoot,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  const kill = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended;
  };
  onTestFinished(async () => {
    await kill('SIGKILL');
  });
  return {
    pid: child.pid ?? 0,
    output: () => output,
    printed: (words) => until(`"${words}" in: ${output}`, () => output.includes(words)),
    ended,
    kill,
  };
}
