/**
 * The processes of a shell or a command in a running container, found from the host. Docker leaves the process of an exec running when its
 * connection closes, and does not know its children. So each has a unique variable in its environment, which its children inherit. A
 * process that clears its environment is found while it is in the session of the first one (setsid(2)). A process that clears it and leaves
 * the session runs until its container ends.
 */
import { createReadStream } from 'node:fs';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { type Clock, pause } from './clock.ts';

export const shellVariable = 'LONGSHORE_SHELL';

/**
 * The mark of a command's processes in a running container. It begins differently from those of shells: a runner that starts ends all
 * shells, while commands may already run.
 * @param runId empty: the beginning of all marks of this instance
 */
export const commandMark = (instance: string, runId = '') => `command.${instance}.${runId}`;

/**
 * The mark of a shell's processes.
 * @param shellId empty: the beginning of all marks of this instance
 */
export const shellMark = (instance: string, shellId = '') => `${instance}.${shellId}`;

/** How processes end: with this signal, and SIGKILL after this time. */
export interface Ending {
  signal: NodeJS.Signals;
  graceMs: number;
}

/** As when a terminal is closed, with time to store a history or to close a connection. */
const hangUp: Ending = { signal: 'SIGHUP', graceMs: 1_000 };
const lookMs = 50;
const looksMax = 40;
/** Each round kills processes that were just starting in the previous round. */
const killRounds = 20;

/**
 * The limit of an environment's size: more than the variables of a service can have. A container may give each of its processes megabytes,
 * so only one environment is read at a time.
 */
const environmentBytesMax = 2 ** 20;

export interface Marked {
  /** Value of the variable, or the beginning of it. */
  mark: string;
  /** The session's first process on the host; 0 if unknown. */
  leader: number;
  /** The main process of the container on the host; 0 to search all containers. */
  container: number;
}

/** Ends the processes. @returns the number of remaining ones */
export async function endProcesses(
  clock: Clock,
  marked: Marked,
  { signal, graceMs }: Ending = hangUp,
): Promise<number> {
  let left = await findProcesses(marked);
  for (const pid of left) send(pid, signal);
  // A search looks at every process of the host, so a long wait looks less often.
  const until = clock.elapsed() + graceMs;
  while (left.length > 0 && clock.elapsed() < until) {
    await pause(clock, Math.max(lookMs, graceMs / looksMax));
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

export const hasProcesses = async (marked: Marked): Promise<boolean> =>
  (await findProcesses(marked)).length > 0;

/**
 * Process ids on the host, only of containers: processes in the runner's own process id namespace are never signalled, whatever their
 * environment contains.
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

/** `undefined` if the process has ended, or access is denied. */
const namespaceOf = (pid: number | 'self') => readlink(`/proc/${pid}/ns/pid`).catch(() => undefined);

/** Reads the fields after the name, which may contain any character (proc(5)): state, parent, process group, session. */
async function readStat(pid: number): Promise<{ session: number; isAlive: boolean }> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [state = '', , , session] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { session: Number(session), isAlive: !['', 'Z', 'X'].includes(state) };
}

/** True if a process runs. */
export const isRunning = async (pid: number): Promise<boolean> => (await readStat(pid)).isAlive;

async function hasMark(pid: number, mark: string): Promise<boolean> {
  const pieces: Buffer[] = [Buffer.of(0)];
  try {
    const end = environmentBytesMax - 1;
    for await (const piece of createReadStream(`/proc/${pid}/environ`, { end })) pieces.push(piece);
  } catch {
    return false; // The process has ended, or access is denied.
  }
  return Buffer.concat(pieces).includes(`\0${shellVariable}=${mark}`);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended, or belongs to another user: then it is found again, and counted.
  }
}
