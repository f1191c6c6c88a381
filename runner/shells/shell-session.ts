/** A session: waits for its client, runs the command, and ends all of its processes. */
import { PassThrough } from 'node:stream';
import {
  type ShellEnd,
  shellPieceMs,
  shellShortBytes,
  shellSilenceMs,
  type TerminalSize,
} from '../../protocol/shells/shell.ts';
import { type Clock, pause } from '../base/clock.ts';
import { messageOf } from '../base/logger.ts';
import {
  endProcesses,
  isRunning,
  type Marked,
  shellVariable,
  signalProcesses,
} from '../base/marked-processes.ts';
import type { DockerHost } from '../docker/client.ts';
import { inspectContainer } from '../docker/containers.ts';
import { ExecFrames } from '../docker/shell/exec-frames.ts';
import { defaultShell, type ShellExec, startShellExec } from '../docker/shell/shell-exec.ts';
import { ShellSocket } from './shell-socket.ts';

/** The time limit for the client, which the control plane asks to hurry. */
const clientLimitMs = shellSilenceMs;
/** The interval of checks that the command still runs: its background processes may keep its output open. */
const lookMs = 500;
/** Exit code of SIGKILL, with which processes end when their container ends. */
const killedCode = 137;
const stoppedLooks = 4;
/** The number of tries to set a new terminal's size, and the pauses between them. */
const sizeTries = 20;
const sizeMs = 50;
/** The time for output that is still in transit when the command has ended. */
const drainMs = 250;

export interface SessionParts {
  docker: DockerHost;
  clock: Clock;
  controlPlaneUrl: string;
}

export interface SessionAsked {
  shellId: string;
  token: string;
  containerId: string;
  /** Process id of the container's main process on the host. */
  containerPid: number;
  /** The value of the variable that marks its processes. */
  mark: string;
  command: string[] | null;
  terminal: (TerminalSize & { type: string }) | null;
}

/** Connects. @returns the session, which settles when it is over; it never rejects @throws Error with the reason why it can't connect */
export async function openSession(
  parts: SessionParts,
  asked: SessionAsked,
): Promise<{ over: Promise<void>; close(): void }> {
  const session = new ShellSession(parts, asked);
  await session.dial();
  return { over: session.run(), close: () => session.close() };
}

class ShellSession {
  readonly #parts: SessionParts;
  readonly #asked: SessionAsked;
  /** Aborted when the client has connected. */
  readonly #started = new AbortController();
  readonly #closed = new AbortController();
  /** Holds at most the window that the client was granted. */
  readonly #input = new PassThrough();
  #size: TerminalSize | null;
  #socket: ShellSocket | undefined;
  #exec: ShellExec | undefined;
  #marked: Marked;
  #isResizing = false;
  #isSignalling = false;

  constructor(parts: SessionParts, asked: SessionAsked) {
    this.#parts = parts;
    this.#asked = asked;
    this.#size = asked.terminal;
    this.#marked = { mark: asked.mark, leader: 0, container: asked.containerPid };
  }

  async dial(): Promise<void> {
    const { controlPlaneUrl: url, clock } = this.#parts;
    const { shellId, token } = this.#asked;
    this.#socket = await ShellSocket.dial(
      { url, shellId, token, clock },
      {
        message: (message) => {
          if (message.type === 'start') this.#started.abort();
          else if (message.type === 'over') this.close();
          else if (message.type === 'resize') void this.#resize(message);
          // A key ends the input of a terminal; the end of the bytes would close it.
          else if (message.type === 'end-input') this.#size ?? this.#input.end();
          else void this.#signal(message.signal);
        },
        input: (bytes) => void (this.#input.writable && this.#input.write(bytes)),
        closed: () => this.#closed.abort(),
      },
    );
  }

  close(): void {
    this.#socket?.close();
    this.#closed.abort();
  }

  async run(): Promise<void> {
    const { clock } = this.#parts;
    const { signal } = this.#closed;
    try {
      await pause(clock, clientLimitMs, AbortSignal.any([signal, this.#started.signal]));
      if (signal.aborted || !this.#started.signal.aborted) return;
      this.#socket?.end(await this.#runCommand());
    } catch (error) {
      this.#socket?.end({ code: null, reason: `The shell could not run: ${messageOf(error)}`.slice(0, 500) });
    } finally {
      this.#exec?.stream.destroy();
      this.#input.destroy();
      await endProcesses(clock, this.#marked).catch(() => undefined);
      this.close();
    }
  }

  async #runCommand(): Promise<ShellEnd> {
    const { docker } = this.#parts;
    const { command, containerId, mark, terminal } = this.#asked;
    const env = [`${shellVariable}=${mark}`, ...(terminal ? [`TERM=${terminal.type}`] : [])];
    const exec = await startShellExec(docker, containerId, {
      ...{ command: command ?? defaultShell, env, terminal: this.#size },
    });
    this.#exec = exec;
    this.#marked = { ...this.#marked, leader: exec.pid };
    exec.stream.on('error', () => {}); // `pass` throws this error; a late one must not end the runner
    const stop = () => void exec.stream.destroy();
    this.#closed.signal.addEventListener('abort', stop, { once: true });
    if (this.#closed.signal.aborted) stop();
    void this.#giveSize(exec);
    const watch = new AbortController();
    void this.#watch(exec, watch.signal);
    void this.#feed(exec).catch(() => undefined);
    await this.#pass(exec).catch(() => undefined);
    watch.abort();
    return this.#endOf(exec);
  }

  /** Passes on output until it ends. */
  async #pass({ stream }: ShellExec): Promise<void> {
    const frames = this.#asked.terminal ? undefined : new ExecFrames();
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const pieces = frames ? frames.split(chunk) : [{ isErrors: false, bytes: chunk }];
      for (const { isErrors, bytes } of pieces) {
        if (!(await this.#socket?.write(isErrors ? 'errors' : 'output', bytes))) return;
      }
      if (chunk.length < shellShortBytes) await pause(this.#parts.clock, shellPieceMs, this.#closed.signal);
    }
  }

  /** Ends the output once the command has ended, although a background process still has it open. */
  async #watch({ pid, stream }: ShellExec, signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts;
    if (pid === 0) return;
    while (!signal.aborted) {
      await pause(clock, lookMs, signal);
      if (signal.aborted || (await isRunning(pid))) continue;
      await pause(clock, drainMs, signal);
      if (!signal.aborted) stream.destroy();
      return;
    }
  }

  async #endOf(exec: ShellExec): Promise<ShellEnd> {
    const { docker, clock } = this.#parts;
    if (this.#closed.signal.aborted) return { code: null, reason: null };
    const code = await exec.exitCode().catch(() => null);
    // Docker reports the end of a container a moment after the end of its processes.
    const looks = code === null || code === killedCode ? stoppedLooks : 1;
    for (let look = 1; look <= looks; look++) {
      if (look > 1) await pause(clock, lookMs);
      const container = await inspectContainer(docker, this.#asked.containerId).catch(() => undefined);
      if (!container?.running || container.restarting)
        return {
          code: null,
          reason: 'The container has stopped or was replaced, and its shells ended with it.',
        };
    }
    return { code, reason: code === null ? 'Docker does not say how the command ended.' : null };
  }

  /** Sets the latest size: sizes requested during the command's start may be lost, and Docker refuses a resize for a moment. */
  async #giveSize(exec: ShellExec): Promise<void> {
    for (let tries = 0; this.#size && tries < sizeTries && !this.#closed.signal.aborted; tries++) {
      const given = this.#size;
      const isDone = await exec.resize(given).then(
        () => this.#size === given,
        () => false,
      );
      if (isDone) return;
      await pause(this.#parts.clock, sizeMs, this.#closed.signal);
    }
  }

  /** Only one call at a time, with the newest size: a client can send thousands of messages. */
  async #resize(size: TerminalSize): Promise<void> {
    if (!this.#size) return;
    this.#size = size;
    if (this.#isResizing || !this.#exec) return;
    this.#isResizing = true;
    let given: TerminalSize | undefined;
    while (given !== this.#size) {
      given = this.#size;
      await this.#exec.resize(given).catch(() => undefined); // a command that has just ended has no terminal
    }
    this.#isResizing = false;
  }

  /** A search for processes reads those of the whole host, so only one runs at a time, and signals that arrive during it are dropped. */
  async #signal(signal: NodeJS.Signals): Promise<void> {
    if (this.#isSignalling) return;
    this.#isSignalling = true;
    await signalProcesses(this.#marked, signal).catch(() => undefined);
    this.#isSignalling = false;
  }

  /** Passes on input as fast as the command reads it, also input from before the command's start. */
  async #feed({ stream }: ShellExec): Promise<void> {
    for await (const bytes of this.#input as AsyncIterable<Buffer>) {
      if (stream.destroyed) return;
      await new Promise<void>((written) => void stream.write(bytes, () => written()));
      this.#socket?.inputTaken(bytes.length);
    }
    stream.end();
  }
}
