/** The connections to one database: a few read-only ones that are kept for a while, and a new one for each change or query. */
import pg from 'pg';
import { BoundedStartClient } from './bounded-answer.ts';
import { engineError } from './errors.ts';

/** The number of parallel browsing requests; more must wait. */
const browsingMax = 3;
/** The number of parallel user statements and changes. They never use a browsing connection. */
const changingMax = 2;
/** The runner's own queries take milliseconds. Longer ones read a view that computes. */
export const readTimeoutMs = 15_000;
/** The extra time for a server that should have ended the statement itself. After that its connection is dropped. */
const graceMs = 5_000;

/** Sets the text formats regardless of the defaults of a role or a database, so that read values can be written back. */
const formats = {
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  // The notices are not used.
  client_min_messages: 'error',
  idle_in_transaction_session_timeout: '60s',
};
/**
 * Browsing sessions find system functions first and wait only briefly for a migration's lock. Every scan begins at the table's first page,
 * so the rows of a table without a key keep their order from page to page.
 */
const browsing = {
  ...formats,
  search_path: 'pg_catalog,public',
  default_transaction_read_only: 'on',
  statement_timeout: String(readTimeoutMs),
  lock_timeout: '2s',
  synchronize_seqscans: 'off',
  max_parallel_workers_per_gather: '0',
  jit: 'off',
};

/** Sends the last query together with the end of the transaction, in one write. */
type Last = <T>(ask: () => Promise<T>) => Promise<T>;
type Reader<T> = (client: pg.Client, last: Last) => Promise<T>;

export interface Connections {
  /** Runs in a read-only transaction on one snapshot of the data. */
  reading<T>(use: Reader<T>): Promise<T>;
  /** Runs on a connection that is closed afterwards, so that all settings, locks and prepared statements of the work end with it. */
  changing<T>(timeoutMs: number, use: (client: pg.Client) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export function openConnections(config: pg.ClientConfig): Connections {
  const readers = pool({ ...config, max: browsingMax, pipeline: true, options: optionsText(browsing) });
  const changers = pool({ ...config, max: changingMax, maxUses: 1, options: optionsText(formats) });
  return {
    reading: (use) => leased(readers, readTimeoutMs, (client) => inReadOnly(client, use)),
    changing: (timeoutMs, use) => leased(changers, timeoutMs, use, true),
    close: async () => void (await Promise.all([readers.end(), changers.end()])),
  };
}

function pool(config: pg.PoolConfig): pg.Pool {
  const made = new pg.Pool({ ...config, Client: BoundedStartClient, allowExitOnIdle: true });
  // The pool drops a connection that breaks while idle or between two statements, and the next query reports it.
  made.on('error', () => {});
  made.on('connect', (client) => void client.on('error', () => {}));
  return made;
}

/**
 * `-c name=value`. A blank in a value would need escaping, but no value has one: https://www.postgresql.org/docs/17/libpq-connect.html,
 * "options".
 */
function optionsText(settings: Record<string, string>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

/** @throws EngineError */
async function leased<T>(
  from: pg.Pool,
  timeoutMs: number,
  use: (client: pg.Client) => Promise<T>,
  isChange = false,
): Promise<T> {
  let client: pg.PoolClient | undefined;
  let hangs: NodeJS.Timeout | undefined;
  try {
    const taken = await from.connect();
    client = taken;
    hangs = setTimeout(() => taken.connection.stream.destroy(), timeoutMs + graceMs);
    return await use(taken);
  } catch (error) {
    throw engineError(error, { timeoutMs, isSentChange: isChange && client !== undefined });
  } finally {
    clearTimeout(hangs);
    // The pool itself drops a broken connection.
    client?.release();
  }
}

/** Sends BEGIN and ROLLBACK together with queries: a write to the socket takes as long as the server needs for a small query. */
async function inReadOnly<T>(client: pg.Client, use: Reader<T>): Promise<T> {
  let isEnded = false;
  const end = () => {
    if (isEnded) return;
    isEnded = true;
    // Nothing was changed. If the connection broke in the meantime, the next query reports it.
    client.query('ROLLBACK').catch(() => {});
  };
  try {
    const [answer] = await together(client, () => {
      const begun = client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const last: Last = (ask) =>
        together(client, () => {
          const asked = ask();
          end();
          return asked;
        });
      return Promise.all([use(client, last), begun]);
    });
    return answer;
  } finally {
    end();
  }
}

/** Sends several messages in one write. */
function together<T>(client: pg.Client, send: () => T): T {
  const { stream } = client.connection;
  stream.cork();
  try {
    return send();
  } finally {
    stream.uncork();
  }
}
