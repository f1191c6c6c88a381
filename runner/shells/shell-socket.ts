/** The host's end of a shell: bytes and messages over one WebSocket, never more than the other side has granted. */
import { type RawData, WebSocket } from 'ws';
import type { z } from 'zod';
import { runnerPaths } from '../../protocol/enrolment.ts';
import { pingText, pongText } from '../../protocol/frames.ts';
import {
  type ShellEnd,
  shellPieceBytes,
  shellPingMs,
  shellSilenceMs,
  shellStreams,
  shellTextMax,
  shellToHostSchema,
  shellWindowBytes,
} from '../../protocol/shells/shell.ts';
import type { Clock } from '../base/clock.ts';

const dialLimitMs = 10_000;
/** Input is granted again in steps of this size, so that not every key causes a message. */
const grantBytes = shellWindowBytes / 4;

type Message = Exclude<z.infer<typeof shellToHostSchema>, { type: 'grant' }>;

export interface ShellSocketEvents {
  message(message: Message): void;
  input(bytes: Buffer): void;
  /** Called once; no data is received after it. */
  closed(): void;
}

export class ShellSocket {
  readonly #socket: WebSocket;
  readonly #events: ShellSocketEvents;
  #credit = shellWindowBytes;
  #taken = 0;
  #granted: (() => void) | undefined;
  #isClosed = false;

  private constructor(socket: WebSocket, events: ShellSocketEvents, clock: Clock) {
    this.#socket = socket;
    this.#events = events;
    let heardAt = clock.elapsed();
    let cancel = () => {};
    const beat = () => {
      cancel = clock.after(shellPingMs, () => {
        if (clock.elapsed() - heardAt > shellSilenceMs) socket.terminate();
        else {
          this.#send(pingText);
          beat();
        }
      });
    };
    beat();
    socket.on('message', (data, isBinary) => {
      heardAt = clock.elapsed();
      this.#take(data, isBinary);
    });
    socket.on('close', () => {
      cancel();
      this.#isClosed = true;
      this.#granted?.();
      events.closed();
    });
  }

  /** @throws Error if the control plane refuses the connection, or does not answer */
  static async dial(
    { url, shellId, token, clock }: { url: string; shellId: string; token: string; clock: Clock },
    events: ShellSocketEvents,
  ): Promise<ShellSocket> {
    const target = new URL(runnerPaths.shell, url);
    target.protocol = target.protocol === 'https:' ? 'wss:' : 'ws:';
    target.searchParams.set('shell', shellId);
    const socket = new WebSocket(target, {
      handshakeTimeout: dialLimitMs,
      maxPayload: shellPieceBytes + shellTextMax,
      perMessageDeflate: false,
      headers: { authorization: `Bearer ${token}` },
    });
    // The listener is also needed after the dial: an `error` without a listener would end the runner. `close` follows each.
    const refused = new Promise<never>((_, reject) => socket.on('error', reject));
    refused.catch(() => undefined);
    const ours = new ShellSocket(socket, events, clock);
    await Promise.race([new Promise((resolve) => socket.once('open', resolve)), refused]);
    return ours;
  }

  /** Sends bytes of a stream, as fast as the other side accepts them. @returns false once it is closed */
  async write(stream: 'output' | 'errors', bytes: Buffer): Promise<boolean> {
    for (let at = 0; at < bytes.length; ) {
      while (this.#credit === 0 && !this.#isClosed) {
        await new Promise<void>((resolve) => {
          this.#granted = resolve;
        });
      }
      if (this.#isClosed) return false;
      const piece = bytes.subarray(at, at + Math.min(shellPieceBytes, this.#credit));
      at += piece.length;
      this.#credit -= piece.length;
      this.#send(Buffer.concat([Buffer.of(shellStreams[stream]), piece]));
    }
    return !this.#isClosed;
  }

  /** Reports the number of input bytes that were passed on. */
  inputTaken(bytes: number): void {
    this.#taken += bytes;
    if (this.#taken < grantBytes) return;
    this.#send(JSON.stringify({ type: 'grant', bytes: this.#taken }));
    this.#taken = 0;
  }

  /** Reports the result; the other side closes. */
  end(end: ShellEnd): void {
    this.#send(JSON.stringify({ type: 'exit', ...end }));
  }

  close(): void {
    this.#socket.close(1000);
    // A peer that does not answer the close must not keep the session open.
    setTimeout(() => this.#socket.terminate(), dialLimitMs).unref();
  }

  #send(data: string | Buffer): void {
    if (!this.#isClosed && this.#socket.readyState === WebSocket.OPEN) this.#socket.send(data);
  }

  /** @param data one buffer: `nodebuffer` is the default of ws */
  #take(data: RawData, isBinary: boolean): void {
    const bytes = data as Buffer;
    const text = isBinary ? '' : bytes.toString();
    if (isBinary && bytes[0] === shellStreams.input) this.#events.input(bytes.subarray(1));
    if (isBinary || text === pongText) return;
    const message = parse(text);
    if (!message) this.#socket.terminate();
    else if (message.type === 'grant') this.#grant(message.bytes);
    else this.#events.message(message);
  }

  #grant(bytes: number): void {
    this.#credit = Math.min(shellWindowBytes, this.#credit + bytes);
    this.#granted?.();
  }
}

function parse(text: string) {
  try {
    return shellToHostSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
