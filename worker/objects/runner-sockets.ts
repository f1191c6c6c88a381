/**
 * The sockets of one runner: at most one is the runner's current socket (it has a session); others have not authenticated yet.
 * All state of a socket is in its attachment, so that it survives the object's hibernation.
 */
import { closeCodes } from '../../protocol/enrolment.ts';
import { type HubFrame, protocolVersion } from '../../protocol/frames.ts';
import type { Lease } from '../domain/jobs/leases.ts';
import type { Connection } from '../gateways/object-calls.ts';
import { toBase64Url } from '../security/base64url.ts';

/** A runner process that has authenticated. */
export interface Session {
  bootId: string;
  /** Why the runner gets no work (isForOlderRunners); `null` if it gets all frames. */
  upgradeNeeded: string | null;
}

export interface SocketState extends Connection {
  /** Null after a hello has used it. */
  nonce: string | null;
  acceptedAt: number;
  /** Null before the hello, and after the socket was given up. */
  session: Session | null;
  /** The object's leases, stored over its hibernation. */
  leases: Lease[];
}

/** Close code from the RFC 6455 registry: the runner reconnects and reports everything again. */
export const tryAgainLater = 1013;
/** A socket without a hello is closed after this time; runners answer the challenge immediately. */
const helloLimitMs = 10_000;
/**
 * Runners ping every 10 s, and give up a connection 28 s after its last answer. After this time the connection is dead, even without a
 * close event.
 */
export const silenceLimitMs = 30_000;
/**
 * A runner needs one; further ones are from other people who know its id, such as any tenant of the host. The oldest are closed: if new
 * ones were refused, others could prevent the runner from connecting. The runner answers its challenge long before so many more arrive.
 */
const unverifiedMax = 32;
const nonceBytes = 32;

export class RunnerSockets {
  readonly #ctx: DurableObjectState;
  readonly #now: () => number;
  readonly #helloTimers = new Map<WebSocket, ReturnType<typeof setTimeout>>();

  constructor(ctx: DurableObjectState, now: () => number) {
    this.#ctx = ctx;
    this.#now = now;
  }

  /** The runner's current socket. */
  get current(): WebSocket | undefined {
    return this.#open().find((socket) => this.state(socket)?.session);
  }

  /** All sockets with a session: more than one only while a new socket replaces the old one. */
  withSession(): WebSocket[] {
    return this.#open().filter((socket) => this.state(socket)?.session);
  }

  /** Accepts a new socket and sends the challenge. @returns the client's end */
  accept(connection: Connection): WebSocket {
    this.#closeOldestUnverified();
    const { 0: client, 1: server } = new WebSocketPair();
    const nonce = newNonce();
    this.#ctx.acceptWebSocket(server);
    const state: SocketState = {
      ...connection,
      nonce,
      acceptedAt: this.#now(),
      session: null,
      leases: [],
    };
    server.serializeAttachment(state);
    this.#helloTimers.set(
      server,
      setTimeout(() => this.close(server, closeCodes.silent, 'no hello in time'), helloLimitMs),
    );
    this.sendTo(server, {
      v: protocolVersion,
      type: 'challenge',
      nonce,
      audience: connection.audience,
    });
    return client;
  }

  state(socket: WebSocket): SocketState | null {
    return socket.deserializeAttachment() as SocketState | null;
  }

  update(socket: WebSocket, change: Partial<SocketState>): void {
    const state = this.state(socket);
    if (state) socket.serializeAttachment({ ...state, ...change });
  }

  /** Marks a socket as verified. */
  admit(socket: WebSocket, session: Session): void {
    this.#clearTimer(socket);
    this.update(socket, { session });
  }

  /** Why the runner's current socket gets no work; null if it gets work, or if there is none. */
  get upgradeNeeded(): string | null {
    const socket = this.current;
    return (socket && this.state(socket)?.session?.upgradeNeeded) ?? null;
  }

  /** Sends to the runner. @returns false if it is not connected, or too old for the frame; the rows cause a repeat later */
  send(frame: HubFrame): boolean {
    const socket = this.current;
    if (socket === undefined || (this.upgradeNeeded !== null && !isForOlderRunners(frame))) return false;
    return this.sendTo(socket, frame);
  }

  sendTo(socket: WebSocket, frame: HubFrame): boolean {
    try {
      socket.send(JSON.stringify(frame));
      return true;
    } catch {
      return false; // It has just closed; its close event follows.
    }
  }

  /** Closes a socket. It has no session after that, whenever its close event arrives. */
  close(socket: WebSocket, code: number, reason: string): void {
    this.#clearTimer(socket);
    this.update(socket, { session: null });
    try {
      socket.close(code, reason);
    } catch {
      // Already closed.
    }
  }

  /** Whether the runner's current socket has been without a ping for too long; undefined without a socket. */
  get isSilent(): boolean | undefined {
    const socket = this.current;
    return socket && this.#now() - this.#lastPing(socket) > silenceLimitMs;
  }

  /** Epoch milliseconds of the last ping that was answered without waking up the object, or else of the socket's acceptance. */
  #lastPing(socket: WebSocket): number {
    const answered = this.#ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0;
    return Math.max(answered, this.state(socket)?.acceptedAt ?? 0);
  }

  /** Closes sockets without a hello; needed because timers are lost when the object hibernates or moves. */
  closeOverdue(): void {
    for (const socket of this.#open()) {
      const state = this.state(socket);
      if (state && !state.session && this.#now() - state.acceptedAt > helloLimitMs) {
        this.close(socket, closeCodes.silent, 'no hello in time');
      }
    }
  }

  /** Makes room for one more socket. */
  #closeOldestUnverified(): void {
    const acceptedAt = (socket: WebSocket) => this.state(socket)?.acceptedAt ?? 0;
    const unverified = this.#open()
      .filter((socket) => !this.state(socket)?.session)
      .sort((one, other) => acceptedAt(one) - acceptedAt(other));
    for (const socket of unverified.slice(0, Math.max(0, unverified.length - unverifiedMax + 1)))
      this.close(socket, closeCodes.silent, 'too many connections without a hello');
  }

  #open(): WebSocket[] {
    return this.#ctx.getWebSockets().filter((socket) => socket.readyState === WebSocket.OPEN);
  }

  #clearTimer(socket: WebSocket): void {
    clearTimeout(this.#helloTimers.get(socket) ?? null);
    this.#helloTimers.delete(socket);
  }
}

/** Whether the frame has a form that never changes in later versions. */
const isForOlderRunners = (frame: HubFrame) =>
  frame.type === 'abort' || (frame.type === 'request' && frame.ask.op === 'upgrade');

function newNonce(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(nonceBytes));
  return toBase64Url(bytes);
}
