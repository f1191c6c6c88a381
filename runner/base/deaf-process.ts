/**
 * Tests whether the main process of a container reacts to its stop signal, and stops the child processes if not. The first process of a container is
 * process 1 of its PID namespace, and the kernel drops signals for it that it neither handles nor blocks (pid_namespaces(7)): a shell without a trap
 * would run until it is killed. A Node program is not recognized: Node handles SIGTERM itself and raises it again, which is dropped then.
 */
import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** The interval between two checks whether a process has ended. */
const lookMs = 50;
/** A shell ends this soon after the program that it waited for, unless it has more to run. */
const afterChildrenMs = 500;

/** A program did not end in its grace period, and was killed. */
export interface VainWait {
  seconds: number;
  /** The first signal that was sent. */
  signal: string;
}

/** The first process of a container. */
export interface MainProcess {
  /** The container's id. */
  id: string;
  /** The process id on this host; 0 if the process does not run. */
  pid: number;
  /** The stop signal set by the service or the image, such as `SIGQUIT`. */
  stopSignal: string;
  /** The service's grace period; absent if none is set. */
  graceSeconds?: number | undefined;
}

/** @returns false if waiting for the process to end is useless; true also if that is unknown */
export async function hearsStop(main: MainProcess, proc = '/proc'): Promise<boolean> {
  const { pid, stopSignal } = main;
  const signal = (constants.signals as Record<string, number>)[stopSignal];
  try {
    if (signal === undefined || !(await runsHere(main, proc))) return true;
    return heardBy(await readFile(`${proc}/${pid}/status`, 'utf8'), signal);
  } catch {
    return true;
  }
}

/**
 * A process id from a Docker elsewhere (in a virtual machine) belongs to another process here, or to none.
 * @throws Error if there is none
 */
export async function runsHere(
  { id, pid }: Pick<MainProcess, 'id' | 'pid'>,
  proc = '/proc',
): Promise<boolean> {
  return pid > 0 && (await readFile(`${proc}/${pid}/cgroup`, 'utf8')).includes(id);
}

/**
 * Stops the children of a first process that the signal does not reach, such as the server that a shell started: each child gets the
 * signal, and time to end. The first process may then end by itself.
 * @returns false if a child still runs after the grace period
 */
export async function stopBelow(
  { pid, stopSignal }: MainProcess,
  graceMs: number,
  proc = '/proc',
): Promise<boolean> {
  const listed = await readFile(`${proc}/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const children = listed.split(' ').map(Number).filter(Boolean);
  const signalled = children.filter((child) => send(child, stopSignal));
  if (signalled.length === 0) return true;
  const end = performance.now() + graceMs;
  while ((await Promise.all(signalled.map((child) => runs(child, proc)))).includes(true)) {
    if (performance.now() >= end) return false;
    await pause(lookMs);
  }
  const soon = performance.now() + afterChildrenMs;
  while (performance.now() < soon && (await runs(pid, proc))) await pause(lookMs);
  return true;
}

/** @returns false if the process has ended, or may not be signalled */
function send(pid: number, signal: string): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

/** A zombie has ended; the shell above it may never ask for its exit code. */
async function runs(pid: number, proc: string): Promise<boolean> {
  const status = await readFile(`${proc}/${pid}/status`, 'utf8').catch(() => '');
  return status !== '' && !/^State:\s*[ZX]/m.test(status);
}

/** @param status the text of /proc/<pid>/status (proc_pid_status(5)) */
export function heardBy(status: string, signal: number): boolean {
  const field = (name: string) => new RegExp(`^${name}:\\s*(.+)$`, 'm').exec(status)?.[1] ?? '';
  const isFirst = /\s1$/.test(field('NSpid'));
  const has = (name: string) => ((BigInt(`0x${field(name) || '0'}`) >> BigInt(signal - 1)) & 1n) === 1n;
  return !isFirst || waitsForSignals.test(field('Name')) || has('SigCgt') || has('SigBlk');
}

/** These programs wait in sigtimedwait(2), and the kernel does not show the signals of that wait as blocked. They pass each signal on. */
const waitsForSignals = /^(docker-init|tini|tini-static)$/;
