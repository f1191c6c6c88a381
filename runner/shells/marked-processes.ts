/**
 * The processes of a shell, found from the host. Docker leaves the process of an exec running when its connection closes, and knows nothing
 * of what that process has started. So each shell has a variable of its own in its environment, which its children inherit.
 * A process that empties its environment is found while it is in the shell's session (setsid(2)). One that does both stays, as long as its
 * container.
 */
import { createReadStream } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { type Clock, pause } from '../base/clock.ts';

export const shellVariable = 'LONGSHORE_SHELL';

/** Time to store a history or to close a connection, between SIGHUP and SIGKILL. */
const graceMs = 1_000;
const lookMs = 50;
/** Each round kills what the one before has missed, because it was just being started. */
const killRounds = 20;

/**
 * How much of an environment is read: more than the variables of a service can have. A container may give each of its processes megabytes,
 * so only one is read at a time.
 */
const environmentBytesMax = 2 ** 20;

export interface Marked {
  /** Value of the variable, or the beginning of it. */
  mark: string;
  /** The session's first process on the host; 0: none is known. */
  leader: number;
  /** The main process of the container on the host; 0: look into all containers. */
  container: number;
}

/** Ends them: SIGHUP first, as when a terminal is closed. @returns how many are left */
export async function endProcesses(clock: Clock, marked: Marked): Promise<number> {
  let left = await findProcesses(marked);
  for (const pid of left) send(pid, 'SIGHUP');
  for (let waited = 0; left.length > 0 && waited < graceMs; waited += lookMs) {
    await pause(clock, lookMs);
    left = await findProcesses(marked);
  }
  for (let round = 0; left.length > 0 && round < killRounds; round++) {
    for (const pid of left) send(pid, 'SIGKILL');
    await pause(clock, lookMs);
    left = await findProcesses(marked);
  }
  return left.length;
}

export async function signalProcesses(marked: Marked, signal: NodeJS.Signals): Promise<void> {
  for (const pid of await findProcesses(marked)) send(pid, signal);
}

/**
 * Process ids on the host, of containers only: what is in the runner's own process id namespace is never touched, whatever its environment
 * says.
 */
async function findProcesses({ mark, leader, container }: Marked): Promise<number[]> {
  const own = await namespaceOf('self');
  const inside = container === 0 ? undefined : await namespaceOf(container);
  if (own === undefined || (container !== 0 && inside === undefined)) return [];
  const found: number[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const pid = Number(name);
    const namespace = await namespaceOf(pid);
    if (namespace === undefined || namespace === own || namespace !== (inside ?? namespace)) continue;
    const { session, isAlive } = await readStat(pid);
    if (!isAlive) continue;
    if ((leader !== 0 && session === leader) || (await hasMark(pid, mark))) found.push(pid);
  }
  return found;
}

/** undefined: it has ended, or may not be looked at. */
const namespaceOf = (pid: number | 'self') => readlink(`/proc/${pid}/ns/pid`).catch(() => undefined);

/** Fields after the name, which may hold anything (proc(5)): state, parent, process group, session. */
async function readStat(pid: number): Promise<{ session: number; isAlive: boolean }> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [state = '', , , session] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { session: Number(session), isAlive: !['', 'Z', 'X'].includes(state) };
}

/** Whether a process runs. */
export const isRunning = async (pid: number): Promise<boolean> => (await readStat(pid)).isAlive;

async function hasMark(pid: number, mark: string): Promise<boolean> {
  const pieces: Buffer[] = [Buffer.of(0)];
  try {
    const end = environmentBytesMax - 1;
    for await (const piece of createReadStream(`/proc/${pid}/environ`, { end })) pieces.push(piece);
  } catch {
    return false; // It has ended, or is not ours to look at.
  }
  return Buffer.concat(pieces).includes(`\0${shellVariable}=${mark}`);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended, or belongs to another user: then it is found again, and counted.
  }
}
