/**
 * A connection by which many keys pass. Replies can be read one by one, and then, for the bulk of them, as the bytes that they are:
 * what is not asked for stays with the server, so a slow reader slows the writer down.
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

/** A server that does not answer by then is taken for unreachable. */
const connectMs = 10_000;
/** One that owes an answer and says nothing for so long is gone. */
const silenceMs = 60_000;
/** Of replies that are read whole: pages of keys, functions. */
const replyBytesMax = 64 * 1024 * 1024;

const silent = `nothing was heard for ${silenceMs / 1_000} s`;
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
    this.#signal = signal;
    this.#chunks = socket[Symbol.asyncIterator]();
    this.#reader = new RespReader({ next: () => this.#next(silenceMs) });
    signal.addEventListener('abort', this.#drop, { once: true });
  }

  /**
   * Signed in, on the logical database.
   * @param signal ends it
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

  /** The reply, which may be an error. @throws EngineError when none comes */
  async call(...words: Word[]): Promise<Reply> {
    const [reply] = await this.batch([words]);
    return reply ?? { type: 'null' };
  }

  /** The reply of each command, errors among them; sent in one go. */
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
   * The next bytes of what comes in; not to be mixed with calls that are under way.
   * @param mayBeSilent it may owe no answer now
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

  /** Sends, and waits while the server takes no more. */
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
    // Before version 6 there are no users, and URLs name one all the same.
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
    const hint = mayNeedTls ? ' A port that takes TLS alone needs a URL with rediss://.' : '';
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
          // An address is no name that a client could ask for: RFC 6066, section 3.
          ...(isIP(host) === 0 ? { servername: host } : {}),
          rejectUnauthorized: tls === 'verify-full',
        });
  const timer = setTimeout(() => socket.destroy(new Error(unreachable)), connectMs);
  try {
    await once(socket, tls === 'off' ? 'connect' : 'secureConnect', { signal });
    socket.on('error', () => {}); // whoever reads or writes is told
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

/** Node's codes of certificates are OpenSSL's: https://nodejs.org/api/tls.html#x509-certificate-error-codes */
function tlsHint({ tls }: RedisServer, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (tls === 'verify-full' && /CERT|SELF_SIGNED|VERIFY|ISSUER/.test(code))
    return ' With "?sslmode=require" in the URL any certificate is taken.';
  // A Redis without TLS takes its greeting for the beginning of a command, and waits for the rest.
  const isUnanswered = error instanceof Error && error.message === unreachable;
  if (tls !== 'off' && (isUnanswered || /WRONG_VERSION_NUMBER|PACKET_LENGTH|ECONNRESET/.test(code)))
    return ' A port without TLS needs a URL with redis://.';
  return '';
}

const wordsOf = (error: unknown) =>
  (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
