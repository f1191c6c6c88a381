/** Runs one workerd process and restarts it when it ends by itself. Used by the process that stays, so it does without zod (8 MB). */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { mustIdentify, type ProcessIdentity } from '../instance/process-identity.ts';
import type { socketNames } from './workerd-config.ts';

type SocketName = (typeof socketNames)[number];
export type SocketPorts = Record<SocketName, number>;

export interface WorkerdGiven {
  /** Paths of workerd and of its configuration. */
  program: string;
  config: string;
  /** The port for clients; 0 takes a free one and keeps it over restarts. */
  port: number;
  /** `address:port` of the socket `network`, if the configuration has it. */
  networkAddress?: string | undefined;
  /** Secrets, under their names in the configuration. */
  env: Record<string, string>;
  logFile: string;
}

export interface WorkerdOptions extends Omit<WorkerdGiven, 'logFile'> {
  /** Gets each line that workerd or a Worker writes. */
  log(line: string): void;
  /** Called when workerd was started or restarted. */
  onStart: ((workerd: ProcessIdentity) => void) | undefined;
}

export interface Workerd {
  /** The ports of the running process; the one of `admin` changes with a restart. */
  ports(): SocketPorts;
  stop(): Promise<void>;
}

/** The first start compiles little; a second is usual. */
const readyTimeoutMs = 30_000;
const restartMs = { least: 50, most: 5_000 };
/** A process that ran this long was healthy: the pause before its restart is the shortest again. */
const healthyMs = 60_000;

/** Resolves when workerd listens. @throws Error with workerd's own message when it ends before that */
export async function startWorkerd(options: WorkerdOptions): Promise<Workerd> {
  let run = await startOnce(options, options.port);
  const stopping = new AbortController();
  const supervise = async () => {
    for (let pauseMs = restartMs.least; ; pauseMs = Math.min(2 * pauseMs, restartMs.most)) {
      const from = performance.now();
      await run.ended;
      if (stopping.signal.aborted) return;
      options.log('error workerd has ended; starting it again');
      if (performance.now() - from > healthyMs) pauseMs = restartMs.least;
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
      if (stopping.signal.aborted) return;
      const again = await startOnce(options, run.ports.api).catch((error) => options.log(`error ${error}`));
      if (again) run = again;
      if (stopping.signal.aborted) run.end();
    }
  };
  const supervised = supervise();
  return {
    ports: () => run.ports,
    async stop() {
      stopping.abort();
      run.end();
      await supervised;
    },
  };
}

interface Run {
  ports: SocketPorts;
  ended: Promise<void>;
  end(): void;
}

async function startOnce(options: WorkerdOptions, port: number): Promise<Run> {
  const { program, config, networkAddress, env, log, onStart } = options;
  const sockets = ['--socket-addr', `api=127.0.0.1:${port}`];
  if (networkAddress !== undefined) sockets.push('--socket-addr', `network=${networkAddress}`);
  // stream errors: `forwardLines` listens to those of both outputs
  const child = spawn(program, ['serve', '--experimental', '--control-fd=3', ...sockets, config], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  // SQLite loses nothing by SIGKILL, and SIGTERM would wait for the sockets of all hosts.
  const end = () => void child.kill('SIGKILL');
  process.once('exit', end);
  const ended = new Promise<void>((resolve) =>
    child.once('close', () => resolve()).once('error', () => resolve()),
  );
  void ended.then(() => process.off('exit', end));
  const lastWords = forwardLines(child, log);
  try {
    const ports = await listening(child, ended, lastWords);
    onStart?.(mustIdentify(child.pid ?? 0));
    return { ports, ended, end };
  } catch (error) {
    end();
    await ended;
    throw error;
  }
}

/** @returns a function that returns the last lines. */
function forwardLines(child: ChildProcess, log: (line: string) => void): () => string {
  const last: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    const input = stream as Readable;
    input.on('error', (error) => log(`its output can't be read: ${error.message}`));
    createInterface({ input }).on('line', (line) => {
      const readable = plainLine(line);
      last.splice(0, last.length - 4);
      last.push(readable);
      log(readable);
    });
  }
  return () => last.join('\n');
}

/** workerd writes its own messages and those of Workers as JSON. */
function plainLine(line: string): string {
  if (!line.startsWith('{')) return line;
  try {
    const { level, message } = JSON.parse(line);
    return typeof level === 'string' && typeof message === 'string' ? `${level} ${message}` : line;
  } catch {
    return line;
  }
}

/** Reads from the control pipe the ports on which workerd listens. */
async function listening(
  child: ChildProcess,
  ended: Promise<void>,
  lastWords: () => string,
): Promise<SocketPorts> {
  const { promise, resolve, reject } = Promise.withResolvers<SocketPorts>();
  const ports: Partial<SocketPorts> = {};
  const control = child.stdio[3] as Readable;
  control.on('error', reject);
  createInterface({ input: control }).on('line', (line) => {
    const said: { event: string; socket: SocketName; port: number } = JSON.parse(line);
    if (said.event === 'listen') ports[said.socket] = said.port;
    const { api, admin } = ports;
    if (api !== undefined && admin !== undefined) resolve({ api, admin });
  });
  child.once('error', reject);
  void ended.then(() => reject(new Error(lastWords() || 'workerd has ended')));
  const timer = setTimeout(
    () => reject(new Error(`not ready after ${readyTimeoutMs / 1000} s`)),
    readyTimeoutMs,
  );
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
}
