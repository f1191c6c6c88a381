/**
 * A program that outlives the runner: started detached in its own session, recorded in a file, found again by a later runner.
 * A pid alone does not identify a process; pid, boot id and start time together do, so no other process is ever signalled.
 */
import { spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { setPriority } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { replaceFile } from '../base/replace-file.ts';
import { ProxyError } from './proxy-error.ts';

const recordSchema = z.object({
  pid: z.number().int().positive(),
  /** Clock ticks since boot: field 22 of /proc/<pid>/stat, proc(5). */
  startTime: z.string(),
  bootId: z.string(),
  command: z.array(z.string()),
  /** Hash of its config or source; shows whether a running process is the wanted one. */
  fingerprint: z.string(),
});

export type ProcessRecord = z.infer<typeof recordSchema>;

export interface ProcessPlan {
  name: string;
  command: [program: string, ...args: string[]];
  /** The whole environment: nothing is inherited from the runner. */
  environment: Record<string, string>;
  logFile: string;
  recordFile: string;
  fingerprint: string;
}

/** A log over this size is rotated when its program starts; one older file is kept. */
const logRotateBytes = 10 * 1024 * 1024;

const endPollMs = 25;
/** The priority over builds and dumps, which programs that serve visitors get on the same cores: setpriority(2). */
const servingPriority = -10;

/**
 * The running process of an earlier start: found by its record, or, if the runner died before it wrote one, by its exact command line
 * (which contains the data directory).
 */
export function findProcess(plan: Pick<ProcessPlan, 'command' | 'recordFile'>): ProcessRecord | undefined {
  const recorded = readRecord(plan.recordFile);
  if (recorded && isAlive(recorded)) return recorded;
  return findByCommand(plan.command);
}

/** Starts the program and records it before anything else. @throws ProxyError `start_failed` */
export async function startProcess(plan: ProcessPlan): Promise<ProcessRecord> {
  const [program, ...args] = plan.command;
  mkdirSync(dirname(plan.logFile), { recursive: true, mode: 0o700 });
  rotateLog(plan.logFile);
  const log = openSync(plan.logFile, 'a', 0o600);
  try {
    const child = spawn(program, args, {
      detached: true,
      stdio: ['ignore', log, log],
      env: plan.environment,
      cwd: '/',
    });
    const pid = await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('spawn', () => resolve(child.pid ?? 0));
    });
    child.unref();
    raisePriority(pid);
    const record = { pid, ...identityOf(pid), command: plan.command, fingerprint: plan.fingerprint };
    rememberProcess(plan.recordFile, record);
    return record;
  } catch (error) {
    throw new ProxyError('start_failed', `${plan.name} could not be started: ${String(error)}`, {
      cause: error,
    });
  } finally {
    closeSync(log);
  }
}

/**
 * Linux keeps a priority per thread, and new threads inherit it. It only counts among processes of the same session, though: each session
 * shares the processors as one group with its own priority, and a detached program is a session (sched(7), autogroup). So both are set.
 * Without the needed rights nothing changes.
 */
function raisePriority(pid: number): void {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), servingPriority);
    writeFileSync(`/proc/${pid}/autogroup`, String(servingPriority));
  } catch {
    // Not root, not Linux, or a kernel without autogroup.
  }
}

export function rememberProcess(recordFile: string, record: ProcessRecord): void {
  const text = `${JSON.stringify(record, null, 2)}\n`;
  try {
    replaceFile(recordFile, text);
  } catch (error) {
    if (!existsSync(recordFile)) throw error;
    // A full disk has no room for a second file, but the first one has its place. After a power cut no record counts.
    writeFileSync(recordFile, text, { flag: 'r+' });
    truncateSync(recordFile, Buffer.byteLength(text));
  }
}

/** True if exactly this process still runs; a zombie does not count. */
export function isAlive(record: Pick<ProcessRecord, 'pid' | 'startTime' | 'bootId'>): boolean {
  const stat = processStat(record.pid);
  return (
    stat !== undefined &&
    stat.state !== 'Z' &&
    stat.state !== 'X' &&
    stat.startTime === record.startTime &&
    record.bootId === bootId()
  );
}

/** Processor time of the process, in clock ticks (utime and stime of proc(5)); 0 if it has ended. */
export const processorTicks = ({ pid }: Pick<ProcessRecord, 'pid'>): number => processStat(pid)?.ticks ?? 0;

/** Sends a signal to exactly this process, if it still runs. */
export function signalProcess(record: ProcessRecord, signal: NodeJS.Signals): void {
  if (isAlive(record)) process.kill(record.pid, signal);
}

/** Sends SIGTERM, then SIGKILL after `graceMs` (0: at once). Resolves when the process has ended. */
export async function endProcess(record: ProcessRecord, graceMs: number): Promise<void> {
  if (graceMs > 0) signalProcess(record, 'SIGTERM');
  const killAt = performance.now() + graceMs;
  // The kernel needs a moment after SIGKILL. If the process is stuck for longer than this, the next step fails and reports it.
  const giveUpAt = killAt + 5_000;
  while (isAlive(record) && performance.now() < giveUpAt) {
    if (performance.now() >= killAt) signalProcess(record, 'SIGKILL');
    await pause(endPollMs);
  }
}

/** Inode numbers of the process's open sockets, in the form of the TCP tables. */
export function openSockets({ pid }: ProcessRecord): Set<string> {
  const directory = `/proc/${pid}/fd`;
  const links = readdirSync(directory).map((fd) => {
    try {
      return readlinkSync(join(directory, fd));
    } catch {
      return ''; // closed in the meantime
    }
  });
  return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
}

/** The last lines of a program's log, for the error message when it did not start. */
export function logTail(logFile: string, lines = 3): string {
  try {
    return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-lines).join('\n').slice(-2_000);
  } catch {
    return '';
  }
}

function readRecord(recordFile: string): ProcessRecord | undefined {
  try {
    return recordSchema.parse(JSON.parse(readFileSync(recordFile, 'utf8')));
  } catch {
    // The file is missing or damaged: the process is still found by its command line.
    return undefined;
  }
}

function findByCommand(command: string[]): ProcessRecord | undefined {
  const wanted = `${command.join('\0')}\0`;
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || commandLine(pid) !== wanted) continue;
    const record = { pid, ...identityOf(pid), command, fingerprint: '' };
    if (isAlive(record)) return record;
  }
  return undefined;
}

function commandLine(pid: number): string | undefined {
  try {
    const path = `/proc/${pid}`;
    // Other users' processes are ignored, with any command line.
    if (statSync(path).uid !== process.getuid?.()) return undefined;
    return readFileSync(`${path}/cmdline`, 'utf8');
  } catch {
    return undefined;
  }
}

function identityOf(pid: number): { startTime: string; bootId: string } {
  return { startTime: processStat(pid)?.startTime ?? '', bootId: bootId() };
}

function processStat(pid: number): { state: string; startTime: string; ticks: number } | undefined {
  try {
    // The second field is the name in parentheses and may contain anything, so fields are counted from the last parenthesis.
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const ticks = Number(fields[11]) + Number(fields[12]);
    return { state: fields[0] ?? '', startTime: fields[19] ?? '', ticks };
  } catch {
    return undefined;
  }
}

const bootId = () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();

function rotateLog(logFile: string): void {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size > logRotateBytes) renameSync(logFile, `${logFile}.1`);
}
