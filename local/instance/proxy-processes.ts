/** Finds the Caddy and edge processes of a runner. They outlive the runner, and have its data directory on their command line. */
import { readFileSync } from 'node:fs';
import { type ProcessIdentity, processesNamed } from './process-identity.ts';

/** The living Caddy and edge processes that were started for this runner's directory. */
export function proxyProcesses(runnerDirectory: string): ProcessIdentity[] {
  return ['caddy', 'node', 'MainThread']
    .flatMap(processesNamed)
    .filter(({ pid }) => belongs(pid, runnerDirectory));
}

function belongs(pid: number, runnerDirectory: string): boolean {
  const args = commandLine(pid);
  const isProxy = args.some((arg) => /(^|\/)(caddy|edge\.(ts|mjs))$/.test(arg));
  return isProxy && args.some((arg) => arg === runnerDirectory || arg.startsWith(`${runnerDirectory}/`));
}

function commandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}
