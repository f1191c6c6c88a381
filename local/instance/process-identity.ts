/**
 * Identifies a process by its process id and its start time, as Linux counts it. So a process with a reused id is not mistaken for the old one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export interface ProcessIdentity {
  pid: number;
  /** Clock ticks since boot (proc(5), field 22 of /proc/<pid>/stat). Together with the process id, it is unique until the next boot. */
  startTime: string;
}

/** The process that currently has this id; `undefined` if there is none (or only a zombie). */
export function identify(pid: number): ProcessIdentity | undefined {
  const stat = readStat(pid);
  return stat === undefined || stat.state === 'Z' ? undefined : { pid, startTime: stat.startTime };
}

/** The identity of a process that is certainly running, such as this one. */
export function mustIdentify(pid: number): ProcessIdentity {
  const identity = identify(pid);
  if (identity === undefined) throw new Error(`no process ${pid}`);
  return identity;
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startTime === identity.startTime;
}

/** All living processes of the machine with this command name. */
export function processesNamed(name: string): ProcessIdentity[] {
  return living((stat) => stat.name === name);
}

function living(wanted: (stat: Stat) => boolean): ProcessIdentity[] {
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  return pids.flatMap((entry) => {
    const stat = readStat(Number(entry));
    if (stat === undefined || stat.state === 'Z' || !wanted(stat)) return [];
    return [{ pid: Number(entry), startTime: stat.startTime }];
  });
}

const pollMs = 25;

/** Waits until the process has ended. @returns whether it ended within `timeoutMs`. */
export async function waitForEnd(identity: ProcessIdentity, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (isAlive(identity)) {
    if (performance.now() > deadline) return false;
    await sleep(pollMs);
  }
  return true;
}

/** A killed process ends within milliseconds, unless the kernel is busy with it. */
const killedTimeoutMs = 5_000;

/**
 * Ends exactly this process: first SIGTERM, after `graceMs` SIGKILL. Also succeeds when it has already ended.
 * @returns whether it has ended.
 */
export async function endProcess(identity: ProcessIdentity, graceMs: number): Promise<boolean> {
  if (!signal(identity, 'SIGTERM')) return true;
  if (await waitForEnd(identity, graceMs)) return true;
  signal(identity, 'SIGKILL');
  return waitForEnd(identity, killedTimeoutMs);
}

/** Sends a signal if the id still belongs to that process. @returns whether it did. */
function signal(identity: ProcessIdentity, name: NodeJS.Signals): boolean {
  if (!isAlive(identity)) return false;
  try {
    process.kill(identity.pid, name);
    return true;
  } catch {
    return false;
  }
}

interface Stat {
  name: string;
  state: string;
  startTime: string;
}

function readStat(pid: number): Stat | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The name is in parentheses and may itself contain spaces and parentheses, so fields are counted from the last one.
  const nameEnd = text.lastIndexOf(')');
  const fields = text.slice(nameEnd + 2).split(' ');
  const [state = ''] = fields;
  return {
    name: text.slice(text.indexOf('(') + 1, nameEnd),
    state,
    startTime: fields[19] ?? '',
  };
}
