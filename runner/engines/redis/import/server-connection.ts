/**
 * A connection for copying many keys. Replies can be read one by one, or, for the bulk of them, as raw bytes. Data that is not requested
 * yet stays with the server, so a slow reader slows down the writer.
 */
import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ImportRefusal } from '../../archive/import-refusal.ts';
import { EngineError } from '../../engine-error.ts';
import { commandBytes, type Word } from '../resp-connection.ts';
import { type Reply, RespReader } from '../resp-reader.ts';
import { refusedBy } from './refused-by.ts';
import type { RedisServer } from './server.ts';

/** A server that does not answer in this time counts as unreachable. */
const connectMs = 10_000;
/** A server that sends nothing for this long while a reply is due is treated as lost. */
const silenceMs = 60_000;
/** The limit of replies that are read in full: pages of keys, functions. */
const replyBytesMax = 64 * 1024 * 1024;

const silent = `the server sent nothing for ${silenceMs / 1_000} s`;
const closed = 'it was closed';
const unreachable = `no answer within ${connectMs / 1_000} s`;

export class ServerConnection {
  readonly #server: RedisServer;
  readonly #signal: AbortSignal;
  readonly #socket: Socket;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #reader: RespReader;
  #hasAnswered = false;
  readonly #drop = () => this.#socket.destroy(this.#signal.reason);

  private constructor(server: RedisServer, socket: Socket, signal: AbortSignal) {
    this.#server = server;
    this.#socket = socket;
    this.#socket.on('error', () => {}); // the next read or write reports the error
    this.#signal = signal;
    this.#chunks = socket[Symbol.asyncIterator]();
    this.#reader = new RespReader({ next: () => this.#next(silenceMs) });
    signal.addEventListener('abort', this.#drop, { once: true });
  }

  /**
   * Connects, signs in and selects the logical database.
   * @param signal closes the connection
   * @throws EngineError, ImportRefusal; the signal's reason
   */
  static async open(server: RedisServer, database: number, signal: AbortSignal): Promise<ServerConnection> {
    const connection = new ServerConnection(server, await opened(server, signal), signal);
    try {
      await connection.#signIn();
      await connection.#select(database);
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Returns the reply, which may be an error. @throws EngineError when none arrives */
  async call(...words: Word[]): Promise<Reply> {
    const [reply] = await this.batch([words]);
    return reply ?? { type: 'null' };
  }

  /** Sends all commands at once and returns the reply of each, which may be an error. */
  async batch(commands: Word[][]): Promise<Reply[]> {
    await this.write([commandBytes(commands)]);
    const replies: Reply[] = [];
    const budget = { bytesLeft: replyBytesMax };
    try {
      while (replies.length < commands.length) {
        replies.push(await this.#reader.reply(budget));
        this.#hasAnswered = true;
      }
      return replies;
    } catch (error) {
      throw this.#lost(error);
    }
  }

  /**
   * The next bytes that arrive. Not allowed while a call is in progress.
   * @param mayBeSilent true if no reply may be due now
   */
  async chunk({ mayBeSilent = false } = {}): Promise<Buffer> {
    try {
      const { value, done } = await this.#next(mayBeSilent ? undefined : silenceMs);
      if (!done) return value;
    } catch (error) {
      throw this.#lost(error);
    }
    throw this.#lost(new Error(closed));
  }

  /** Sends the pieces, and waits while the server can't receive more. */
  async write(pieces: readonly Buffer[]): Promise<void> {
    if (pieces.length === 0) return;
    if (this.#socket.destroyed) throw this.#lost(this.#socket.errored ?? new Error(closed));
    this.#socket.cork();
    let isTaken = true;
    for (const piece of pieces) isTaken = this.#socket.write(piece);
    this.#socket.uncork();
    if (!isTaken) await this.#drained();
  }

  close(): void {
    this.#signal.removeEventListener('abort', this.#drop);
    this.#socket.destroy();
  }

  async #drained(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(() => this.#socket.destroy(new Error(silent)), silenceMs);
    const done = () => resolve();
    this.#socket.once('drain', done).once('close', done);
    await promise;
    clearTimeout(timer);
    this.#socket.off('drain', done).off('close', done);
    if (this.#socket.destroyed) throw this.#lost(this.#socket.errored ?? new Error(closed));
  }

  async #next(limitMs: number | undefined): Promise<IteratorResult<Buffer>> {
    const late = () => this.#socket.destroy(new Error(silent));
    const timer = limitMs === undefined ? undefined : setTimeout(late, limitMs);
    try {
      return await this.#chunks.next();
    } finally {
      clearTimeout(timer);
    }
  }

  async #signIn(): Promise<void> {
    const { user, password } = this.#server;
    if (user === '' && password === '') return;
    let said = await this.call('AUTH', ...(user === '' ? [] : [user]), password);
    // Redis before version 6 has no users, but URLs may still contain one.
    if (user !== '' && said.type === 'error' && /wrong number of arguments/.test(said.value))
      said = await this.call('AUTH', password);
    if (said.type === 'error') throw refusedBy('AUTH', said.value);
  }

  async #select(database: number): Promise<void> {
    if (database === 0) return;
    const said = await this.call('SELECT', String(database));
    if (said.type !== 'error') return;
    if (!/out of range|invalid DB index/i.test(said.value)) throw refusedBy('SELECT', said.value);
    throw new ImportRefusal(
      `There is no logical database ${database} in ${this.#server.name}: ${said.value}.`,
    );
  }

  /** @returns the signal's reason after an abort */
  #lost(error: unknown): unknown {
    if (this.#signal.aborted) return this.#signal.reason;
    if (error instanceof EngineError) return error;
    const mayNeedTls = this.#server.tls === 'off' && !this.#hasAnswered;
    const hint = mayNeedTls ? ' A port that accepts only TLS needs a URL with rediss://.' : '';
    return new EngineError(
      'unavailable',
      `The connection to ${this.#server.name} was lost: ${wordsOf(error)}.${hint}`,
      { cause: error },
    );
  }
}

async function opened(server: RedisServer, signal: AbortSignal): Promise<Socket> {
  signal.throwIfAborted();
  const { address, port, host, tls } = server;
  const target = { host: address, port, noDelay: true, keepAlive: true };
  const socket =
    tls === 'off'
      ? connect(target)
      : connectTls({
          ...target,
          // An IP address is not allowed as a server name: RFC 6066, section 3.
          ...(isIP(host) === 0 ? { servername: host } : {}),
          rejectUnauthorized: tls === 'verify-full',
        });
  const timer = setTimeout(() => socket.destroy(new Error(unreachable)), connectMs);
  try {
    await once(socket, tls === 'off' ? 'connect' : 'secureConnect', { signal });
    return socket;
  } catch (error) {
    socket.on('error', () => {}).destroy();
    signal.throwIfAborted();
    throw new EngineError(
      'unavailable',
      `The connection to ${server.name} could not be opened: ${wordsOf(error)}.${tlsHint(server, error)}`,
      { cause: error },
    );
  } finally {
    clearTimeout(timer);
  }
}

/** Node uses OpenSSL's error codes for certificates: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
function tlsHint({ tls }: RedisServer, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (tls === 'verify-full' && /CERT|SELF_SIGNED|VERIFY|ISSUER/.test(code))
    return ' With "?sslmode=require" in the URL, any certificate is accepted.';
  // A Redis without TLS reads the TLS greeting as the start of a command, and waits for the rest.
  const isUnanswered = error instanceof Error && error.message === unreachable;
  if (tls !== 'off' && (isUnanswered || /WRONG_VERSION_NUMBER|PACKET_LENGTH|ECONNRESET/.test(code)))
    return ' A port without TLS needs a URL with redis://.';
  return '';
}

const wordsOf = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
