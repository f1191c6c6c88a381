/**
 * The two sockets of a shell. The state of each is in its attachment, so that it survives the object's hibernation: between two
 * keystrokes nothing is in memory, and no time is billed.
 */
import {
  shellPieceBytes,
  shellShortBytes,
  shellShortMessages,
  shellTextMax,
  shellWindowBytes,
} from '../../protocol/shells/shell.ts';
import { parseShellText, type ShellSide } from '../domain/services/shell-messages.ts';

interface SideState {
  /** Bytes that the side may still send. */
  credit: number;
  /** Bytes that the side has sent. */
  bytes: number;
  /** Epoch milliseconds of the side's last message. */
  lastAt: number;
  /** Number of short messages that the side may send at once, and the time of that count. */
  short: { left: number; at: number };
}

/** The effect of a message. `exit` of the host ends the session; `broken`: the side violated the protocol. `busy`: too many short messages. */
export type Relayed =
  | { kind: 'relayed' }
  | { kind: 'exit'; code: number | null; reason: string | null }
  | { kind: 'broken' }
  | { kind: 'busy' };

const opposite = { client: 'host', host: 'client' } as const;
const relayed: Relayed = { kind: 'relayed' };
const broken: Relayed = { kind: 'broken' };

export class ShellSides {
  readonly #ctx: DurableObjectState;

  constructor(ctx: DurableObjectState) {
    this.#ctx = ctx;
  }

  /** The side's socket, if it is open. */
  socket(side: ShellSide): WebSocket | undefined {
    return this.#ctx.getWebSockets(side).find(({ readyState }) => readyState === WebSocket.OPEN);
  }

  /** @returns the other end of the socket, for the response */
  accept(side: ShellSide, now: number): WebSocket {
    const { 0: theirs, 1: ours } = new WebSocketPair();
    this.#ctx.acceptWebSocket(ours, [side]);
    const short = { left: shellShortMessages.burst, at: now };
    const state: SideState = { credit: shellWindowBytes, bytes: 0, lastAt: now, short };
    ours.serializeAttachment(state);
    return theirs;
  }

  sideOf(socket: WebSocket): ShellSide {
    return this.#ctx.getTags(socket)[0] === 'host' ? 'host' : 'client';
  }

  /** Number of bytes that a side has sent, and the time of its last message. */
  use(side: ShellSide): { bytes: number; lastAt: number } {
    const states = this.#ctx.getWebSockets(side).map((socket) => stateOf(socket));
    return {
      bytes: states.reduce((sum, { bytes }) => sum + bytes, 0),
      lastAt: Math.max(0, ...states.map(({ lastAt }) => lastAt)),
    };
  }

  /** Epoch milliseconds of a side's last sign of life; 0 while it is not connected. */
  lastSeen(side: ShellSide): number {
    const socket = this.socket(side);
    if (!socket) return 0;
    const ping = this.#ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0;
    return Math.max(ping, stateOf(socket).lastAt);
  }

  /** Passes a message on to the other side, up to the sender's credit. */
  relay(socket: WebSocket, message: string | ArrayBuffer, now: number): Relayed {
    const side = this.sideOf(socket);
    const other = this.socket(opposite[side]);
    if (!other) return relayed; // the other side has just disconnected: its close event ends the session
    if (side === 'client' && !takesTurn(socket, message, now)) return { kind: 'busy' };
    return typeof message === 'string'
      ? this.#relayText(socket, { side, other }, message, now)
      : this.#relayBytes(socket, { side, other }, message, now);
  }

  send(side: ShellSide, text: string): void {
    const socket = this.socket(side);
    if (socket) sendTo(socket, text);
  }

  close(code: number, reason: string): void {
    for (const socket of this.#ctx.getWebSockets()) {
      try {
        socket.close(code, reason);
      } catch {
        // Already closed.
      }
    }
  }

  #relayText(
    socket: WebSocket,
    { side, other }: { side: ShellSide; other: WebSocket },
    text: string,
    now: number,
  ): Relayed {
    const message = text.length > shellTextMax ? undefined : parseShellText(side, text);
    if (!message) return broken;
    if (message.type === 'exit') return { kind: 'exit', code: message.code, reason: message.reason };
    const state = stateOf(socket);
    if (message.type === 'grant') {
      const granted = stateOf(other);
      const credit = Math.min(shellWindowBytes, granted.credit + message.bytes);
      other.serializeAttachment({ ...granted, credit });
    } else socket.serializeAttachment({ ...state, lastAt: now });
    sendTo(other, text);
    return relayed;
  }

  #relayBytes(
    socket: WebSocket,
    { side, other }: { side: ShellSide; other: WebSocket },
    message: ArrayBuffer,
    now: number,
  ): Relayed {
    const bytes = message.byteLength - 1;
    const state = stateOf(socket);
    const isOfClient = new Uint8Array(message, 0, Math.min(1, message.byteLength))[0] === 0;
    if (bytes < 0 || bytes > shellPieceBytes || bytes > state.credit) return broken;
    if (isOfClient !== (side === 'client')) return broken;
    socket.serializeAttachment({
      ...state,
      credit: state.credit - bytes,
      bytes: state.bytes + bytes,
      lastAt: now,
    });
    sendTo(other, message);
    return relayed;
  }
}

/** Counts a short message. @returns false if the side has sent too many */
function takesTurn(socket: WebSocket, message: string | ArrayBuffer, now: number): boolean {
  if (typeof message !== 'string' && message.byteLength >= shellShortBytes) return true;
  const state = stateOf(socket);
  const { left, at } = state.short;
  const regained = ((now - at) / 1000) * shellShortMessages.perSecond;
  const after = Math.min(shellShortMessages.burst, left + regained) - 1;
  if (after < 0) return false;
  socket.serializeAttachment({ ...state, short: { left: after, at: now } });
  return true;
}

/** Only this file writes the attachment, so its shape is trusted. */
function stateOf(socket: WebSocket): SideState {
  return socket.deserializeAttachment();
}

function sendTo(socket: WebSocket, message: string | ArrayBuffer): void {
  try {
    socket.send(message);
  } catch {
    // The socket has just closed, and its close event follows.
  }
}
