/**
 * A connection to Redis for one request: the selected database, a WATCH and a blocking command end with it. A request that takes too long
 * or returns too much is ended by dropping the connection.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { ConnectionsFull } from '../connections-full.ts';
import { type EngineAddress, engineTimeoutMs } from '../engine.ts';
import { EngineError } from '../engine-error.ts';
import { type CappedReply, type Reply, type ReplyCaps, ReplyTooLarge, RespReader } from './resp-reader.ts';

export type Word = string | Buffer;

export interface ConnectionSettings {
  address: EngineAddress;
  password: string;
  database: number;
  /** Time limit from connecting to closing. */
  timeoutMs: number;
  /** True if the request may change data. */
  changes: boolean;
}

/** The limit of replies from which a part is selected, such as the fields of a hash. */
const replyBytesMax = 16_000_000;

/** Error replies, to any command, of a server that can't answer now. */
const unavailableWords = /^(LOADING|BUSY|MASTERDOWN|NOAUTH|WRONGPASS|NOPERM|ERR invalid password)/;

/** @param words of the server or of `redis-cli`: https://redis.io/docs/latest/develop/reference/clients/#maximum-concurrent-connected-clients */
export const fullOf = (words: string): ConnectionsFull | undefined =>
  /max number of clients/.test(words)
    ? new ConnectionsFull({ things: 'connections', setting: 'maxclients' }, { cause: new Error(words) })
    : undefined;

/** Versions before 6 don't know HELLO. All later versions know this protocol. */
const unknownHello = /^NOPROTO|unknown command.*HELLO/i;

export class RespConnection {
  readonly #socket: Socket;
  readonly #reader: RespReader;
  readonly #deadline: NodeJS.Timeout;
  /** True if a command that may change data may have been sent. */
  #mayHaveChanged = false;
  #late = false;

  private constructor(socket: Socket, timeoutMs: number) {
    this.#socket = socket;
    this.#reader = new RespReader(socket[Symbol.asyncIterator]());
    this.#deadline = setTimeout(() => {
      this.#late = true;
      socket.destroy();
    }, timeoutMs);
  }

  /** Connects, signs in and selects the logical database. @throws EngineError `unavailable`; `invalid_request` for a missing database */
  static async open(settings: ConnectionSettings): Promise<RespConnection> {
    const { address, password, database, timeoutMs, changes } = settings;
    const socket = await connected(address);
    const connection = new RespConnection(socket, timeoutMs);
    try {
      const [hello, selected] = await connection.batch([helloWords(password), ['SELECT', String(database)]]);
      if (hello?.type === 'error') throw new EngineError('unavailable', hello.value);
      if (selected?.type === 'error') {
        const message = `Redis has no logical database ${database}: ${selected.value}`;
        throw new EngineError('invalid_request', message);
      }
      connection.#mayHaveChanged = changes;
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Signs in, in the way that fits the server's version, and sends a PING. @throws EngineError `unavailable` */
  static async ping(address: EngineAddress, password: string): Promise<void> {
    const connection = new RespConnection(await connected(address), engineTimeoutMs);
    try {
      let replies = await connection.batch([helloWords(password), ['PING']]);
      if (replies[0]?.type === 'error' && unknownHello.test(replies[0].value)) {
        const login = password ? [['AUTH', password]] : [];
        replies = await connection.batch([...login, ['PING']]);
      }
      for (const reply of replies)
        if (reply.type === 'error') throw new EngineError('unavailable', reply.value);
    } catch (error) {
      throw connection.late ? EngineError.from(new Error('timeout', { cause: error })) : error;
    } finally {
      connection.close();
    }
  }

  /** True when the connection was dropped because the time was up. */
  get late(): boolean {
    return this.#late;
  }

  /** @throws EngineError with the words of Redis */
  async call(words: Word[], bytesMax = replyBytesMax): Promise<Reply> {
    const [reply] = await this.batch([words], bytesMax);
    if (reply === undefined) throw new EngineError('unavailable', 'Redis gave no reply.');
    if (reply.type === 'error') throw refused(reply.value);
    return reply;
  }

  /** Sends all commands at once and returns the reply of each, which may be an error. `bytesMax` limits all replies together. */
  async batch(commands: Word[][], bytesMax = replyBytesMax): Promise<Reply[]> {
    this.#send(commands);
    const replies: Reply[] = [];
    const budget = { bytesLeft: bytesMax };
    return this.#reading(async () => {
      while (replies.length < commands.length) {
        const reply = await this.#reader.reply(budget);
        // The server closes the connection after this reply, and answers no further command.
        const full = reply.type === 'error' ? fullOf(reply.value) : undefined;
        if (full) throw full;
        replies.push(reply);
      }
      return replies;
    });
  }

  /** Reads no more than the caps allow. */
  async cappedCall(words: Word[], caps: ReplyCaps): Promise<CappedReply> {
    this.#send([words]);
    const answer = await this.#reading(() => this.#reader.cappedReply(caps));
    if (answer.reply.type === 'error') throw refused(answer.reply.value);
    return answer;
  }

  close(): void {
    clearTimeout(this.#deadline);
    this.#socket.destroy();
  }

  #send(commands: Word[][]): void {
    this.#socket.write(commandBytes(commands));
  }

  async #reading<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof EngineError) throw error;
      if (error instanceof ReplyTooLarge) {
        const message = 'This is too large to be shown: ask for fewer rows, or for parts with a query.';
        throw new EngineError('invalid_request', message);
      }
      const code = this.#mayHaveChanged ? 'timeout' : 'unavailable';
      if (this.#late) throw new EngineError(code, 'Redis took too long to answer.');
      throw this.#mayHaveChanged ? EngineError.unanswered(error) : EngineError.from(error);
    }
  }
}

const helloWords = (password: string): Word[] => [
  ...['HELLO', '3'],
  ...(password ? ['AUTH', 'default', password] : []),
];

/** The commands' bytes in Redis's protocol. */
export function commandBytes(commands: readonly Word[][]): Buffer {
  const parts = commands.flatMap((words) => [
    Buffer.from(`*${words.length}\r\n`),
    ...words.flatMap((word) => {
      const bytes = Buffer.from(word as Buffer);
      return [Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from('\r\n')];
    }),
  ]);
  return Buffer.concat(parts);
}

async function connected({ host, port }: EngineAddress): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(engineTimeoutMs) });
    socket.on('error', () => {}); // the reader reports the error
    return socket;
  } catch (error) {
    socket.on('error', () => {});
    socket.destroy();
    if (!(error instanceof Error) || error.name !== 'AbortError') throw EngineError.from(error);
    throw new EngineError('unavailable', `Redis did not answer within ${engineTimeoutMs / 1_000} s.`);
  }
}

function refused(words: string): EngineError {
  return new EngineError(unavailableWords.test(words) ? 'unavailable' : 'invalid_request', words);
}
