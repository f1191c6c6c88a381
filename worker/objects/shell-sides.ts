/**
 * The two sockets of a shell. What is known of each is in its attachment, so that it survives the object's hibernation: between two keys
 * nothing is in memory, and no time is billed.
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
  /** Bytes that it may still send. */
  credit: number;
  /** Bytes that it has sent. */
  bytes: number;
  /** Epoch milliseconds of its last message. */
  lastAt: number;
  /** Short messages that it may send at once, and when that was counted. */
  short: { left: number; at: number };
}

/** What a message asks for. `exit` of the host ends the session; `broken`: the side has not kept to the protocol. `busy`: short messages without end. */
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

  /** @returns the end for the one who asked */
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

  /** Bytes that a side has sent, and when it last sent anything. */
  use(side: ShellSide): { bytes: number; lastAt: number } {
    const states = this.#ctx.getWebSockets(side).map((socket) => stateOf(socket));
    return {
      bytes: states.reduce((sum, { bytes }) => sum + bytes, 0),
      lastAt: Math.max(0, ...states.map(({ lastAt }) => lastAt)),
    };
  }

  /** Epoch milliseconds of the last sign of life of a side; 0: it is not connected. */
  lastSeen(side: ShellSide): number {
    const socket = this.socket(side);
    if (!socket) return 0;
    const ping = this.#ctx.getWebSocketAutoResponseTimestamp(socket)?.getTime() ?? 0;
    return Math.max(ping, stateOf(socket).lastAt);
  }

  /** Passes a message on to the other side, as far as the sender was granted it. */
  relay(socket: WebSocket, message: string | ArrayBuffer, now: number): Relayed {
    const side = this.sideOf(socket);
    const other = this.socket(opposite[side]);
    if (!other) return relayed; // it has just gone: its close event ends the session
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

/** Counts a short message. @returns false when the side has sent too many of them */
function takesTurn(socket: WebSocket, message: string | ArrayBuffer, now: number): boolean {
  if (typeof message !== 'string' && message.byteLength >= shellShortBytes) return true;
  const state = stateOf(socket);
  // A session that an older version opened has no count.
  const { left, at } = state.short ?? { left: shellShortMessages.burst, at: now };
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
    // It has just closed: its close event follows.
  }
}
