/** Slow clients. Each records how long it received nothing, and how it ended. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { type Door, exchange } from './exchange.ts';
import { tickMs } from './real-app.ts';

export interface Ending {
  kind: string;
  /**
   * `answered`: completely, with 200. `ended`: the other side closed the connection in the middle of a stream, which the client notices at once.
   * `closed`: by the client itself. Otherwise the error.
   */
  how: string;
  /** For an answer: its body. For a stream: its last message. */
  text: string;
  tookMs: number;
  /** The longest time without a byte, for streams that should always send data; 0 for others. */
  silentMs: number;
}

export interface StrangeClient {
  kind: string;
  /** Resolves when it has ended; never rejects. */
  ending: Promise<Ending>;
  /** Resolves with the first byte of the answer; for a slow answer or an upload, at once. */
  begun: Promise<void>;
  close(): void;
}

/** Waits for a slow answer. */
export const slowClient = (door: Door, ms: number): StrangeClient =>
  client('slow', door, 'GET', `/slow?ms=${ms}`, { streams: false });

/** The same request as a long poll. */
export const pollClient = (door: Door, ms: number): StrangeClient =>
  client('poll', door, 'GET', `/poll?ms=${ms}`, { streams: false });

/** Reads events. @param ms after which the app ends the stream; 0: never */
export const eventsClient = (door: Door, ms = 0): StrangeClient =>
  client('events', door, 'GET', `/events?ms=${ms}`, { streams: true });

/** Waits for an answer until the app is released. */
export const heldClient = (door: Door): StrangeClient =>
  client('held', door, 'GET', '/held', { streams: false });

/** Requests more data than all buffers in between can hold, and reads none of it before the signal. Its text is the number of bytes. */
export const lateClient = (door: Door, reads: AbortSignal): StrangeClient =>
  client('late', door, 'GET', `/large?bytes=${lateBytes}`, { streams: false, reads });

/** Kernels and proxies in between buffer a part of it. */
export const lateBytes = 100_000_000;

/** Sends a file slowly, for this time or until the signal. */
export function uploadClient(door: Door, until: number | AbortSignal): StrangeClient {
  const uploadUntil = typeof until === 'number' ? chunksUntil(until) : () => until.aborted;
  return client('upload', door, 'POST', '/upload', { streams: false, uploadUntil });
}

const chunksUntil = (ms: number) => {
  let left = Math.ceil(ms / tickMs);
  return () => left-- === 0;
};

/** Caddy reads up to 256 KB of a body before it reports that the request has failed. */
const chunk = Buffer.alloc(32_768, 'x');

/** The number of bytes that an upload of this length sends. */
export const uploadedBytes = (ms: number) => Math.ceil(ms / tickMs) * chunk.length;

function client(
  kind: string,
  door: Door,
  method: string,
  path: string,
  {
    streams,
    uploadUntil = () => true,
    reads,
  }: { streams: boolean; uploadUntil?: () => boolean; reads?: AbortSignal },
): StrangeClient {
  const watch = new Watch(kind);
  const { sent, answer, close } = exchange(door, method, path);
  const begun =
    streams || reads
      ? answer.then(
          () => undefined,
          () => undefined,
        )
      : Promise.resolve();
  const upload = async () => {
    while (!uploadUntil() && !sent.destroyed) {
      sent.write(chunk);
      await delay(tickMs);
    }
    sent.end();
  };
  sent.on('error', () => {}); // the answer shows it
  void upload();
  const listen = async (): Promise<string> => {
    const { status, body } = await answer;
    if (reads && !reads.aborted) await once(reads, 'abort');
    let bytes = 0;
    for await (const part of body) {
      bytes += part.length;
      if (reads) watch.text = String(bytes);
      else watch.heard(String(part), streams);
    }
    if (status !== 200) return `status ${status}`;
    return 'answered';
  };
  const ending = listen().then(
    (how) => watch.ending(how),
    (error: Error) =>
      watch.ending(watch.isClosed ? 'closed' : streams && watch.text ? 'ended' : error.message),
  );
  return {
    kind,
    begun,
    ending,
    close: () => {
      watch.isClosed = true;
      close();
    },
  };
}

/** A WebSocket without a library; it receives frames of the app. */
export function socketClient(door: Door): StrangeClient {
  const watch = new Watch('socket');
  const at = { host: door.host ?? '127.0.0.1', port: door.port };
  const socket = door.over
    ? connectTls({ ...at, servername: door.name, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
    : connectTcp(at);
  const key = randomBytes(16).toString('base64');
  socket.write(
    `GET /ws HTTP/1.1\r\nhost: ${door.name}\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n\r\n`,
  );
  let first = () => {};
  const begun = new Promise<void>((resolve) => {
    first = resolve;
  });
  const ending = new Promise<Ending>((resolve) => {
    const end = (how: string) => {
      first();
      socket.destroy();
      resolve(watch.ending(watch.isClosed ? 'closed' : how));
    };
    socket.on('data', (part) => {
      const text = part.toString('latin1');
      if (watch.text === '' && !text.startsWith('HTTP/1.1 101')) end(text.split('\r', 1)[0] ?? '');
      first();
      watch.heard(text, true);
    });
    const over = (why: string) => end(watch.text === '' ? why : 'ended');
    socket
      .on('end', () => over('closed without an answer'))
      .on('close', () => over('closed without an answer'));
    socket.on('error', (error) => over(error.message));
  });
  return {
    kind: 'socket',
    begun,
    ending,
    close: () => {
      watch.isClosed = true;
      socket.destroy();
    },
  };
}

class Watch {
  readonly #kind: string;
  readonly #from = performance.now();
  #heardAt = performance.now();
  #silentMs = 0;
  text = '';
  isClosed = false;

  constructor(kind: string) {
    this.#kind = kind;
  }

  heard(text: string, isStream: boolean): void {
    const now = performance.now();
    if (isStream && this.text !== '') this.#silentMs = Math.max(this.#silentMs, now - this.#heardAt);
    this.#heardAt = now;
    this.text = isStream ? text : this.text + text;
  }

  ending(how: string): Ending {
    const now = performance.now();
    // If a stream is never closed and sends nothing more, the client waits in silence until it gives up.
    const isStream = this.#kind === 'events' || this.#kind === 'socket';
    const silentMs = Math.round(isStream ? Math.max(this.#silentMs, now - this.#heardAt) : 0);
    return { kind: this.#kind, how, text: this.text, tookMs: Math.round(now - this.#from), silentMs };
  }
}
