/**
 * The client's end of a shell (docs/guide/shell.md): bytes and messages over one WebSocket. Uses `ws`, because Node 20 has WebSocket only behind a
 * flag.
 */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { Failure, networkFailure } from '../base/failure.ts';

/** Constants of the protocol: the same as in protocol/shells of the control plane. */
const windowBytes = 256 * 1024;
const pieceBytes = 32 * 1024;
/** Output is granted in steps of this size, so that not every character causes a message. */
const grantBytes = windowBytes / 4;
const inputStream = 0;
const errorsStream = 2;
const pingMs = 25_000;
const silenceMs = 75_000;
const openLimitMs = 15_000;

/** Exit code if the shell ended before its command, as in ssh. */
const lostExitCode = 255;

export interface Opened {
  url: string;
  connectPath: string;
  protocol: string;
  ticket: string;
}

export interface ShellOutput {
  /** Resolves once the bytes are written. */
  write(stream: 'output' | 'errors', bytes: Uint8Array): Promise<void>;
}

export class ShellConnection {
  readonly #socket: WebSocket;
  readonly #output: ShellOutput;
  #credit = windowBytes;
  #granted: (() => void) | undefined;
  #written = 0;
  /** Output in the order in which it arrived. */
  #writing: Promise<void> = Promise.resolve();
  #end: { code: number | null; reason: string | null } | undefined;
  #heardAt = Date.now();
  /** The last message has arrived, or the connection is lost. */
  readonly #over: Promise<void>;
  #isOver = () => {};

  private constructor(socket: WebSocket, output: ShellOutput) {
    this.#socket = socket;
    this.#output = output;
    socket.on('message', (data, isBinary) => {
      this.#heardAt = Date.now();
      if (isBinary) this.#take(data as Buffer);
      else this.#hear(String(data));
    });
    this.#over = new Promise((resolve) => {
      this.#isOver = resolve;
    });
    const beat = setInterval(() => {
      if (Date.now() - this.#heardAt > silenceMs) socket.terminate();
      else this.#send('ping');
    }, pingMs);
    socket.once('close', () => {
      clearInterval(beat);
      this.#isOver();
      this.#granted?.();
    });
  }

  /** @throws Failure if the connection can't be opened */
  static async open({ url, ...opened }: Opened, output: ShellOutput): Promise<ShellConnection> {
    const target = new URL(opened.connectPath, url);
    target.protocol = target.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(target, [opened.protocol, opened.ticket], {
      handshakeTimeout: openLimitMs,
      perMessageDeflate: false,
      maxPayload: 2 * pieceBytes,
    });
    const connection = new ShellConnection(socket, output);
    socket.on('error', () => {}); // `once` below reports the first one, `close` follows later ones
    try {
      await once(socket, 'open');
    } catch (error) {
      throw networkFailure(error, url);
    }
    return connection;
  }

  /** Sends input as fast as the other side accepts it. @returns false once the connection is closed */
  async input(bytes: Uint8Array): Promise<boolean> {
    for (let at = 0; at < bytes.length; ) {
      while (this.#credit === 0 && this.#isOpen) {
        await new Promise<void>((resolve) => {
          this.#granted = resolve;
        });
      }
      if (!this.#isOpen) return false;
      const piece = bytes.subarray(at, at + Math.min(pieceBytes, this.#credit));
      at += piece.length;
      this.#credit -= piece.length;
      this.#send(Buffer.concat([Buffer.of(inputStream), piece]));
    }
    return this.#isOpen;
  }

  endInput(): void {
    this.#send(JSON.stringify({ type: 'end-input' }));
  }

  resize(size: { columns: number; rows: number }): void {
    this.#send(JSON.stringify({ type: 'resize', ...size }));
  }

  signal(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP'): void {
    this.#send(JSON.stringify({ type: 'signal', signal }));
  }

  leave(): void {
    this.#socket.terminate();
  }

  /** @returns the command's exit code, once all its output is written @throws Failure with the reason if there is no exit code */
  async ended(): Promise<number> {
    await this.#over;
    this.leave();
    await this.#writing;
    if (this.#end?.code != null) return this.#end.code;
    const reason =
      this.#end?.reason ?? 'The connection was lost. The commands that ran in the shell were ended.';
    throw new Failure(reason, { exitCode: lostExitCode, code: 'shell_ended' });
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  #send(data: string | Buffer): void {
    if (this.#isOpen) this.#socket.send(data);
  }

  #take(message: Buffer): void {
    const bytes = message.subarray(1);
    const stream = message[0] === errorsStream ? 'errors' : 'output';
    this.#writing = this.#writing
      .then(() => this.#output.write(stream, bytes))
      .then(() => this.#took(bytes.length));
  }

  #took(bytes: number): void {
    this.#written += bytes;
    if (this.#written < grantBytes) return;
    this.#send(JSON.stringify({ type: 'grant', bytes: this.#written }));
    this.#written = 0;
  }

  #hear(text: string): void {
    if (text === 'pong') return;
    const message = JSON.parse(text) as { type: string; bytes?: number; code?: number; reason?: string };
    if (message.type === 'grant') {
      this.#credit = Math.min(windowBytes, this.#credit + (message.bytes ?? 0));
      this.#granted?.();
    }
    if (message.type === 'exit') {
      this.#end = { code: message.code ?? null, reason: message.reason ?? null };
      this.#isOver();
    }
  }
}
