/** The browser's end of a shell: bytes and messages over one WebSocket (protocol/shells/shell.ts). */

/** Constants of the protocol: the same as in protocol/shells. */
const windowBytes = 256 * 1024;
const pieceBytes = 32 * 1024;
const inputStream = 0;
const pingMs = 25_000;
const silenceMs = 75_000;

export interface ShellEnd {
  /** Null: the command did not end by itself. */
  code: number | null;
  /** Why it ended; null with a code, or if the connection was lost. */
  reason: string | null;
}

interface Listener {
  /** Calls `done` once the bytes are drawn. */
  output(bytes: Uint8Array, done: () => void): void;
  opened(): void;
  ended(end: ShellEnd): void;
}

/** Output is granted in steps of this size, so that not every character causes a message. */
const grantBytes = windowBytes / 4;

export class ShellConnection {
  readonly #socket: WebSocket;
  readonly #listener: Listener;
  #credit = windowBytes;
  #waiting: Uint8Array[] = [];
  #drawn = 0;
  #end: ShellEnd = { code: null, reason: null };
  #heardAt = Date.now();

  /** @param ticket in a subprotocol, so that it is in no address or log */
  constructor(path: string, protocols: [protocol: string, ticket: string], listener: Listener) {
    this.#listener = listener;
    const url = new URL(path, location.href);
    url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    this.#socket = new WebSocket(url, protocols);
    this.#socket.binaryType = 'arraybuffer';
    this.#socket.onopen = () => listener.opened();
    this.#socket.onmessage = ({ data }) => {
      this.#heardAt = Date.now();
      if (typeof data === 'string') this.#hear(data);
      else this.#take(new Uint8Array(data as ArrayBuffer));
    };
    const beat = setInterval(() => {
      if (Date.now() - this.#heardAt > silenceMs) this.close();
      else this.#send('ping');
    }, pingMs);
    this.#socket.onclose = () => {
      clearInterval(beat);
      listener.ended(this.#end);
    };
  }

  input(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#pass();
  }

  resize(size: { columns: number; rows: number }): void {
    this.#send(JSON.stringify({ type: 'resize', ...size }));
  }

  close(): void {
    this.#socket.close();
  }

  /** Sends what the host has granted. */
  #pass(): void {
    for (let first = this.#waiting[0]; first && this.#credit > 0; first = this.#waiting[0]) {
      const piece = first.subarray(0, Math.min(pieceBytes, this.#credit));
      const rest = first.subarray(piece.length);
      if (rest.length > 0) this.#waiting[0] = rest;
      else this.#waiting.shift();
      this.#credit -= piece.length;
      const message = new Uint8Array(1 + piece.length);
      message[0] = inputStream;
      message.set(piece, 1);
      this.#send(message);
    }
  }

  #send(message: string | Uint8Array<ArrayBuffer>): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(message);
  }

  #take(message: Uint8Array): void {
    const bytes = message.subarray(1);
    this.#listener.output(bytes, () => {
      this.#drawn += bytes.length;
      if (this.#drawn < grantBytes) return;
      this.#send(JSON.stringify({ type: 'grant', bytes: this.#drawn }));
      this.#drawn = 0;
    });
  }

  #hear(text: string): void {
    if (!text.startsWith('{')) return; // an answer to a ping
    const message = JSON.parse(text) as { type: string; bytes?: number } & Partial<ShellEnd>;
    if (message.type === 'grant') {
      this.#credit += message.bytes ?? 0;
      this.#pass();
    } else if (message.type === 'exit') {
      this.#end = { code: message.code ?? null, reason: message.reason ?? null };
      this.close();
    }
  }
}
