/** A connection to MySQL for a single request: no transaction, lock or setting outlives it. A statement that takes too long is killed. */
import { connect, type Socket } from 'node:net';
import type { Connection, ExecuteValues, FieldPacket, ResultSetHeader, RowDataPacket } from 'mysql2';
import { type EngineAddress, engineTimeoutMs } from '../engine.ts';
import { EngineError } from '../engine-error.ts';
import { isNoDatabase, isTimeout, mysqlError, noDatabase, silentServer, UnknownDatabase } from './errors.ts';
import { openConnection } from './open-connection.ts';

export interface MysqlLogin {
  user: string;
  password: string;
  database?: string | undefined;
}

export interface ConnectionSettings {
  address: EngineAddress;
  login: MysqlLogin;
  /** Time limit from connecting to closing. */
  timeoutMs: number;
  readOnly: boolean;
}

export interface ResultCaps {
  rowsMax: number;
  bytesMax: number;
}

export interface Result {
  /** Empty for a statement that returns no rows. */
  fields: FieldPacket[];
  /** The bytes of each value as the server's text, so no driver has rounded them. */
  rows: (Buffer | null)[][];
  affectedRows: number;
  /** There were more rows. The connection can't be used any more. */
  truncated: boolean;
}

/**
 * The server's default, and strict for all tables. It also decides how statements are parsed: without ANSI_QUOTES and NO_BACKSLASH_ESCAPES,
 * `refused-statement.ts` finds the same quotes as the server.
 */
const sqlMode =
  'ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION';
/** The longest wait for someone else's lock on a row, or on a table that is being altered. */
const lockWaitSeconds = 5;
/** The server itself ends a statement that only reads this much later, if the KILL doesn't reach the server. */
const killMs = 1_000;
/** Limit for the column names of a result, in addition to its rows. */
const headBytesMax = 1_000_000;

export class MysqlConnection {
  readonly #settings: ConnectionSettings;
  readonly #socket: Socket;
  readonly #connection: Connection;
  /** Rejects when the connection is dropped. The driver itself would never settle the request. */
  readonly #dropped = Promise.withResolvers<never>();
  #deadline: NodeJS.Timeout | undefined;
  #isOpen = false;
  #isLate = false;
  /** The server has confirmed that it ended the statement. */
  #isEnded = false;

  private constructor(settings: ConnectionSettings, { database, ...account }: MysqlLogin) {
    this.#settings = settings;
    this.#dropped.promise.catch(() => {});
    this.#socket = connect({ ...settings.address, noDelay: true });
    this.#connection = openConnection({
      stream: this.#socket,
      ...account,
      ...(database ? { database } : {}),
      charset: 'utf8mb4',
      connectTimeout: engineTimeoutMs,
      flags: ['-LOCAL_FILES'],
      // Otherwise the driver generates code from column names, and refuses some names.
      disableEval: true,
      supportBigNumbers: true,
      bigNumberStrings: true,
    });
  }

  /**
   * Selects the login's database. If that was dropped, none is selected, so that the user can create it again.
   * @throws EngineError `unavailable`
   */
  static async open(settings: ConnectionSettings): Promise<MysqlConnection> {
    try {
      return await MysqlConnection.#opened(settings, settings.login);
    } catch (error) {
      if (!(error instanceof UnknownDatabase)) throw error;
      return await MysqlConnection.#opened(settings, { ...settings.login, database: undefined });
    }
  }

  static async #opened(settings: ConnectionSettings, login: MysqlLogin): Promise<MysqlConnection> {
    const connection = new MysqlConnection(settings, login);
    const { timeoutMs, readOnly } = settings;
    connection.#deadline = setTimeout(() => connection.#giveUp(), timeoutMs);
    try {
      await connection.#asked<void>((resolve, reject) =>
        connection.#connection.connect((error) => (error ? reject(error) : resolve())),
      );
      await connection.run(`SET SESSION sql_mode = '${sqlMode}', time_zone = '+00:00', autocommit = 1,
        lock_wait_timeout = ${lockWaitSeconds}, innodb_lock_wait_timeout = ${lockWaitSeconds},
        information_schema_stats_expiry = 0, max_execution_time = ${timeoutMs + killMs},
        transaction_read_only = ${readOnly ? 1 : 0}`);
      connection.#isOpen = true;
      return connection;
    } catch (error) {
      connection.close();
      if (error instanceof UnknownDatabase) throw error;
      // Any error before the first query is about the connection.
      throw error instanceof EngineError ? new EngineError('unavailable', error.message) : error;
    }
  }

  /** @param text contains no user values: only numbers, and names from the catalog. @throws EngineError */
  async run(text: string, caps: ResultCaps = { rowsMax: 1e6, bytesMax: 16_000_000 }): Promise<Result> {
    const result = await this.capped(text, caps);
    if (!result.truncated) return result;
    const message = `The rows have more than ${caps.bytesMax / 1e6} MB: ask for fewer rows with limit, or for fewer columns with a query.`;
    throw new EngineError('invalid_request', message);
  }

  /** Runs one statement with bound values whose rows hold text and numbers, such as a catalog query. @throws EngineError */
  select<Row>(text: string, values: ExecuteValues): Promise<Row[]> {
    return this.#asked<Row[]>((resolve, reject) =>
      this.#connection.execute<RowDataPacket[]>(text, values, (error, rows) =>
        error ? reject(error) : resolve(rows as Row[]),
      ),
    );
  }

  /** Runs one statement with bound values that changes rows. @throws EngineError */
  change(text: string, values: ExecuteValues): Promise<ResultSetHeader> {
    return this.#asked<ResultSetHeader>((resolve, reject) =>
      this.#connection.execute<ResultSetHeader>(text, values, (error, header) =>
        error ? reject(error) : resolve(header),
      ),
    );
  }

  /**
   * Runs one statement and reads no more than the caps. Beyond them the connection is dropped, so the server stops. Of a procedure's
   * results only the first is returned; further ones set `truncated`.
   * @throws EngineError
   */
  capped(text: string, { rowsMax, bytesMax }: ResultCaps): Promise<Result> {
    return this.#asked<Result>((resolve, reject) => {
      const result: Result = { fields: [], rows: [], affectedRows: 0, truncated: false };
      let bytes = 0;
      let unread = 0;
      let isOver = false;
      const stop = () => {
        isOver = true;
        this.#socket.removeListener('data', watch);
        this.#socket.destroy();
        resolve({ ...result, truncated: true });
      };
      // The driver assembles a whole row before its size is known.
      const watch = (chunk: Buffer) => {
        unread += chunk.length;
        if (unread > bytesMax + headBytesMax) stop();
      };
      this.#socket.prependListener('data', watch);
      const asked = this.#connection.query({
        sql: text,
        rowsAsArray: true,
        typeCast: false,
      });
      asked.on('error', reject);
      asked.on('fields', (fields: FieldPacket[] | undefined) => {
        if (!fields || isOver) return;
        if (result.fields.length > 0) stop();
        else result.fields = fields;
      });
      asked.on('result', (row: (Buffer | null)[] | ResultSetHeader) => {
        if (isOver) return; // already received
        unread = 0;
        if (!Array.isArray(row)) {
          result.affectedRows += row.affectedRows;
          return;
        }
        bytes += row.reduce((sum, value) => sum + (value?.length ?? 0), 0);
        if (result.rows.length >= rowsMax || bytes > bytesMax) stop();
        else result.rows.push(row);
      });
      asked.on('end', () => {
        this.#socket.removeListener('data', watch);
        // A killed SLEEP and a few other statements answer as if they had succeeded. A change that succeeded stays a success.
        if (this.#isLate && result.fields.length > 0) reject(new Error('The time limit was reached.'));
        else resolve(result);
      });
    });
  }

  close(): void {
    clearTimeout(this.#deadline);
    this.#dropped.reject(new Error('The connection was closed.'));
    if (this.#socket.writable) this.#connection.end();
    this.#socket.destroySoon(); // after the goodbye is sent
  }

  async #asked<T>(ask: (resolve: (value: T) => void, reject: (error: unknown) => void) => void): Promise<T> {
    try {
      return await Promise.race([new Promise<T>(ask), this.#dropped.promise]);
    } catch (error) {
      if (isNoDatabase(error)) throw noDatabase(this.#settings.login.database);
      const isChange = this.#isOpen && !this.#settings.readOnly;
      if (!this.#isLate && !isTimeout(error)) throw mysqlError(error, isChange);
      if (this.#isLate && !this.#isEnded) throw silentServer(isChange);
      const message = `The statement took longer than ${this.#settings.timeoutMs / 1_000} s, its time limit, and was aborted.`;
      throw new EngineError('invalid_request', message);
    }
  }

  /** The server continues a statement whose client has left, so another connection sends a KILL. */
  #giveUp(): void {
    this.#isLate = true;
    const { user, password } = this.#settings.login;
    const killer = openConnection({
      ...this.#settings.address,
      user,
      password,
      connectTimeout: engineTimeoutMs,
    });
    const done = (error?: unknown) => {
      this.#isEnded = !error;
      clearTimeout(patience);
      killer.destroy();
      this.#dropped.reject(new Error('The time limit was reached.'));
      this.#socket.destroy();
    };
    const patience = setTimeout(() => done(new Error('No answer.')), engineTimeoutMs);
    if (this.#connection.threadId) killer.query(`KILL ${Number(this.#connection.threadId)}`, done);
    else done(new Error('The connection was never open.'));
  }
}
