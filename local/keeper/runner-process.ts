/** The local runner's process, restarted whenever it dies. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { endProcess, identify, type ProcessIdentity } from '../instance/process-identity.ts';
import { runnerProgram } from '../program.ts';
import { runnerFlags } from '../runner-flags.ts';
import type { RunnerGiven } from './requests.ts';

/** The demo's repository is served on loopback, which is a private address, too. */
export const allowedPrivate = 'git,import,drain';

/** The time that a runner has to stop its jobs. Then it is killed, and its journal recovers the rest. */
const stopGraceMs = 15_000;
/**
 * The first and the longest pause before a dead runner is restarted. The first is short: edge and Caddy, if they died with the runner, are
 * down until it runs again.
 */
const restartDelayMs = { first: 50, longest: 30_000 };
/** A runner that lived this long had started properly, so its next restart gets the first pause again. A broken one ends sooner. */
const stableAfterMs = 3_000;

export interface LocalRunner {
  stop(): Promise<void>;
}

export interface RunnerProcessOptions extends RunnerGiven {
  /** Called with the current process; `null` while there is none. */
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

function runOnce(
  options: RunnerProcessOptions,
  onProcess: (identity: ProcessIdentity | null) => void,
): Promise<string> {
  const log = openSync(options.logFile, 'a', 0o600);
  const args = [...runnerFlags, runnerProgram, 'run', '--data', options.directory];
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
