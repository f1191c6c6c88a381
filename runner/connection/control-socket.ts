/**
 * The WebSocket to the RunnerHub: connects, authenticates, detects a dead connection and reconnects.
 *
 *   dialling -> challenged (the hub's nonce is signed and sent) -> welcome: frames flow both ways -> lost -> pause -> dialling
 *
 * It does not interpret frames. Frames sent over a broken connection are lost: their sender sends them again after `connected`.
 * Some errors end the connection permanently: see stop-reason.ts.
 */
import { WebSocket } from 'ws';
import { helloSigningText, runnerPaths } from '../../protocol/enrolment.ts';
import {
  type HubFrame,
  type HubFrameOf,
  parseHubFrame,
  pingText,
  pongText,
  protocolVersion,
  type RunnerFrame,
  type RunnerFrameOf,
} from '../../protocol/frames.ts';
import type { RunnerFacts } from '../../protocol/runner-facts.ts';
import { backoffMs } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/logger.ts';
import type { RunnerError } from '../base/runner-error.ts';
import { Liveness } from './liveness.ts';
import { errorOfClose, errorOfReply } from './stop-reason.ts';

export interface ControlSocketOptions {
  url: string;
  runnerId: string;
  /** New at every start of the process. */
  bootId: string;
  sign: (text: string) => string;
  facts: () => Promise<RunnerFacts>;
  /** Jobs this process has, for the hello. */
  jobs: () => RunnerFrameOf<'hello'>['jobs'];
  clock: Clock;
  logger: Logger;
  /** Random number for the pauses between connections, from 0 to 1. */
  random?: () => number;
}

export interface ControlSocketEvents {
  /** The hub has accepted the hello. */
  connected(welcome: HubFrameOf<'welcome'>): void;
  disconnected(): void;
  frame(frame: HubFrame): void;
  /** The connection ended permanently: the process should exit with this error. */
  stopped(error: RunnerError): void;
}

const reconnect = { minMs: 500, maxMs: 30_000 };
/** A connection that lived this long counts as stable: the next retry starts from the shortest pause. */
const stableMs = 10_000;
/** Time limit for TCP, TLS and the upgrade. */
const openLimitMs = 10_000;
/** Time limit for the hub's answer to the end of the connection. */
const closeLimitMs = 1_000;
/** Time limit from the start of the connection to the welcome: in between the hub reads and writes its store. */
const welcomeLimitMs = 30_000;
/** A `start` frame carries at most 256 KB of variables, encrypted and in base64. */
const frameBytesMax = 4 * 2 ** 20;

export class ControlSocket {
  readonly #options: ControlSocketOptions;
  readonly #events: ControlSocketEvents;
  readonly #liveness: Liveness;
  #socket: WebSocket | undefined;
  #connected = false;
  #failures = 0;
  /** The spread of reconnects, from the last welcome. */
  #spreadMs = 0;
  #ended = false;
  #cancelTimers: (() => void)[] = [];

  constructor(options: ControlSocketOptions, events: ControlSocketEvents) {
    this.#options = options;
    this.#events = events;
    this.#liveness = new Liveness(options.clock, {
      ping: () => this.#socket?.send(pingText),
      dead: () => this.#lost('the control plane was silent for too long'),
    });
  }

  get connected(): boolean {
    return this.#connected;
  }

  start(): void {
    this.#dial();
  }

  /** @returns false when not connected: send the frame again after `connected` */
  send(frame: RunnerFrame): boolean {
    if (!this.#connected || this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(frame));
    return true;
  }

  /** Closes the connection permanently; no event follows. Resolves once the hub has read all sent frames, or after a limit. */
  async close(): Promise<void> {
    this.#ended = true;
    this.#connected = false;
    this.#clearTimers();
    const socket = this.#socket;
    if (!socket || socket.readyState === WebSocket.CLOSED) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#options.clock.after(closeLimitMs, resolve);
      socket.once('close', () => {
        cancel();
        resolve();
      });
      socket.close(1000, 'the runner stops');
    });
  }

  #dial(): void {
    const { url, runnerId, clock } = this.#options;
    const target = new URL(runnerPaths.connect, url);
    target.protocol = target.protocol === 'https:' ? 'wss:' : 'ws:';
    target.searchParams.set('runner', runnerId);
    const socket = new WebSocket(target, {
      handshakeTimeout: openLimitMs,
      maxPayload: frameBytesMax,
      perMessageDeflate: false,
    });
    this.#socket = socket;
    this.#cancelTimers = [clock.after(welcomeLimitMs, () => this.#lost('no welcome frame in time'))];
    socket.on('unexpected-response', (_, response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => this.#refused(response.statusCode ?? 0, Buffer.concat(chunks).toString()));
      response.on('error', () => this.#lost('the response ended early'));
    });
    socket.on('message', (data, isBinary) => {
      if (this.#socket === socket && !isBinary) this.#receive(String(data));
    });
    socket.on('error', (error) => {
      if (this.#socket === socket) this.#options.logger.warn(`control socket: ${error.message}`);
    });
    socket.on('close', (code, reason) => {
      if (this.#socket === socket) this.#closed(code, String(reason));
    });
  }

  #receive(text: string): void {
    this.#liveness.received();
    if (this.#ended || text === pongText) return;
    const parsed = parseHubFrame(text);
    if (!parsed.ok) this.#options.logger.warn(`dropped a frame from the hub: ${parsed.reason}`);
    else if (parsed.frame.type === 'challenge') void this.#answer(parsed.frame);
    else if (parsed.frame.type === 'welcome') this.#welcomed(parsed.frame);
    else if (this.#connected) this.#events.frame(parsed.frame);
  }

  async #answer({ nonce, audience }: HubFrameOf<'challenge'>): Promise<void> {
    const socket = this.#socket;
    const { runnerId, bootId, sign, jobs } = this.#options;
    const signature = sign(helloSigningText({ runnerId, bootId, nonce, audience }));
    const facts = await this.#options.facts();
    if (socket !== this.#socket || socket?.readyState !== WebSocket.OPEN) return;
    const hello: RunnerFrameOf<'hello'> = {
      v: protocolVersion,
      type: 'hello',
      runnerId,
      bootId,
      sentAt: this.#options.clock.now(),
      nonce,
      audience,
      signature,
      facts,
      jobs: jobs(),
    };
    socket.send(JSON.stringify(hello));
  }

  #welcomed(welcome: HubFrameOf<'welcome'>): void {
    if (this.#connected) return;
    this.#spreadMs = welcome.reconnectWithinMs;
    this.#clearTimers();
    this.#connected = true;
    this.#cancelTimers = [
      this.#options.clock.after(stableMs, () => {
        this.#failures = 0;
      }),
    ];
    this.#liveness.start();
    this.#options.logger.info(`connected to ${this.#options.url}`);
    this.#events.connected(welcome);
  }

  /** The server answered the upgrade with plain HTTP. */
  #refused(status: number, text: string): void {
    const error = errorOfReply(this.#options.url, status, text);
    if (error) this.#stop(error);
    else this.#lost(`the WebSocket upgrade was answered with HTTP ${status}`);
  }

  #closed(code: number, reason: string): void {
    const error = errorOfClose(code, reason);
    if (error) this.#stop(error);
    else this.#lost(`closed with ${code}${reason && `, ${reason}`}`);
  }

  /** Drops the connection without waiting for the other side, which may never answer, and reconnects later. */
  #lost(why: string): void {
    if (this.#ended) return;
    this.#leave();
    if (this.#ended) return; // `disconnected` may have closed the socket
    const { clock, logger, random = Math.random } = this.#options;
    const delayMs =
      this.#failures === 0 ? this.#firstPauseMs(random()) : backoffMs(this.#failures, reconnect, random());
    this.#failures += 1;
    logger.warn(`not connected to ${this.#options.url} (${why}); trying again in ${delayMs} ms`);
    this.#cancelTimers = [clock.after(delayMs, () => this.#dial())];
  }

  /** An update of the Worker closes the sockets of all hosts at once. A large fleet spreads its retries over the time given by the hub. */
  #firstPauseMs(random: number): number {
    return Math.max(backoffMs(0, reconnect, random), Math.round(random * this.#spreadMs));
  }

  #stop(error: RunnerError): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#leave();
    this.#events.stopped(error);
  }

  #leave(): void {
    this.#clearTimers();
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.terminate();
    if (!this.#connected) return;
    this.#connected = false;
    this.#events.disconnected();
  }

  #clearTimers(): void {
    this.#liveness.stop();
    for (const cancel of this.#cancelTimers.splice(0)) cancel();
  }
}
