/** The documents' store: calls of DocumentDB's functions, and the cursors that are open between two calls. */
import { randomInt } from 'node:crypto';
import pg from 'pg';
import { CommandError } from './errors.ts';

const connectionsMax = 100;
/** As mongod ends cursors that nobody asks for more; postgresql.conf says the same of their files. */
const cursorIdleMs = 10 * 60_000;
const cursorIdMax = 2 ** 47;
const bson = 'documentdb_core.bson';

export interface CallOptions {
  /** Aborted when the client is gone: nobody waits for the answer any more. */
  signal: AbortSignal;
  /** 0: no end. */
  timeoutMs: number;
  /** Of an open transaction; undefined: the call is one of its own. */
  client?: pg.PoolClient | undefined;
}

/** What is left of an answer is in a file of DocumentDB's, or in the data; the continuation says where. */
interface Cursor {
  database: string;
  continuation: Buffer;
  client: pg.PoolClient | undefined;
  idle: NodeJS.Timeout;
}

interface Page {
  page: Buffer;
  /** null: that was all. */
  continuation: Buffer | null;
}

const columns = 'cursorpage::bytea AS page, continuation::bytea AS continuation';

export class Store {
  readonly #pool = new pg.Pool({ host: '/var/run/postgresql', max: connectionsMax });
  readonly #cursors = new Map<number, Cursor>();

  constructor() {
    // A server that dies ends the container: the entrypoint sees to it.
    this.#pool.on('error', (error) => console.error(error.message));
  }

  /** Rows of SQL of the gateway itself. */
  async rows<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#pool.query<Row>(sql, values)).rows;
  }

  /** The document that a call gives. @param sql its one column is the document, as `bytea` */
  async document(sql: string, values: (string | Buffer)[], options: CallOptions): Promise<Buffer | null> {
    const [row] = await this.#run<Record<string, Buffer | null>>(sql, values, options);
    return (row && Object.values(row)[0]) ?? null;
  }

  /** The first page of a cursor. @param call the function that opens it */
  async open(call: string, database: string, spec: Buffer, options: CallOptions): Promise<Buffer> {
    const id = randomInt(1, cursorIdMax);
    const sql = `SELECT ${columns} FROM documentdb_api.${call}($1, $2::bytea::${bson}, $3)`;
    const page = await this.#run<Page>(sql, [database, spec, String(id)], options);
    return this.#turned({ id, database, client: options.client }, page);
  }

  /** The next page. @throws CommandError `CursorNotFound` */
  async more(id: number, spec: Buffer, options: CallOptions): Promise<Buffer> {
    const cursor = this.#take(id);
    if (!cursor) throw new CommandError(43, 'CursorNotFound', `cursor id ${id} not found`);
    const { database, continuation, client } = cursor;
    const sql = `SELECT ${columns} FROM documentdb_api.cursor_get_more($1, $2::bytea::${bson}, $3::bytea::${bson})`;
    const values = [database, spec, continuation];
    return this.#turned({ id, database, client }, await this.#run<Page>(sql, values, { ...options, client }));
  }

  /** @returns whether there was one */
  async kill(id: number): Promise<boolean> {
    if (!this.#take(id)) return false;
    await this.rows('SELECT documentdb_api_internal.delete_cursors($1::bigint[])', [[id]]);
    return true;
  }

  /** A connection in a transaction of its own, which sees the data of its first statement. */
  async begin(): Promise<pg.PoolClient> {
    const client = await this.#pool.connect();
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    return client;
  }

  #turned(
    { id, database, client }: { id: number } & Pick<Cursor, 'database' | 'client'>,
    [page]: Page[],
  ): Buffer {
    if (!page) throw new Error('DocumentDB gave no page');
    if (page.continuation) {
      const idle = setTimeout(() => this.#cursors.delete(id), cursorIdleMs);
      this.#cursors.set(id, { database, continuation: page.continuation, client, idle });
    }
    return page.page;
  }

  #take(id: number): Cursor | undefined {
    const cursor = this.#cursors.get(id);
    this.#cursors.delete(id);
    clearTimeout(cursor?.idle);
    return cursor;
  }

  /** Runs a statement that ends at its time, or when the client goes. */
  async #run<Row extends pg.QueryResultRow>(
    sql: string,
    values: (string | Buffer)[],
    { signal, timeoutMs, client: open }: CallOptions,
  ): Promise<Row[]> {
    const client = open ?? (await this.#pool.connect());
    const cancel = () => void this.rows('SELECT pg_cancel_backend($1)', [processOf(client)]).catch(() => {});
    signal.addEventListener('abort', cancel);
    try {
      await client.query(`SET statement_timeout = ${timeoutMs}`);
      return (await client.query<Row>(sql, values)).rows;
    } finally {
      signal.removeEventListener('abort', cancel);
      if (!open) client.release();
    }
  }
}

/** The typings leave out what every client knows of its server process. */
const processOf = (client: pg.PoolClient) => ('processID' in client ? client.processID : null);
