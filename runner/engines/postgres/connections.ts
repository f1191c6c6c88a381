/** The connections to one database: a few that only read and are kept for a while, and a fresh one for each change or query. */
import pg from 'pg';
import { engineError } from './errors.ts';

/** As many as browse at once; more wait. */
const browsingMax = 3;
/** As many of the user's own statements and changes at once; they never take one that browses. */
const changingMax = 2;
/** A question of the runner's own takes milliseconds; what takes longer reads a view that computes. */
export const readTimeoutMs = 15_000;
/** After the server should have ended it by itself: it hangs, and its connection is dropped. */
const graceMs = 5_000;

/** Text in, text out, the same whatever a role or a database has as its defaults: what is read can be written back. */
const formats = {
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  // Nobody reads notices.
  client_min_messages: 'error',
  idle_in_transaction_session_timeout: '60s',
};
/**
 * Reading shadows no function of the system, never waits long for a migration, and two scans of a table begin at its first page: so the
 * rows of a table without a key keep their order from page to page.
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

/** Asks, and ends the transaction with the same write: for the last question to the data. */
type Last = <T>(ask: () => Promise<T>) => Promise<T>;
type Reader<T> = (client: pg.Client, last: Last) => Promise<T>;

export interface Connections {
  /** Runs in a read-only transaction, which sees one state of the data. */
  reading<T>(use: Reader<T>): Promise<T>;
  /** Runs on a connection that is closed afterwards: what a statement sets, locks, prepares or leaves open goes with it. */
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
  const made = new pg.Pool({ ...config, allowExitOnIdle: true });
  // A connection that breaks, idle or between two statements: the pool drops it, and the next question says so.
  made.on('error', () => {});
  made.on('connect', (client) => void client.on('error', () => {}));
  return made;
}

/** `-c name=value`; no value holds a blank, which would have to be escaped: https://www.postgresql.org/docs/17/libpq-connect.html, "options". */
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
    // The pool itself drops one that is broken.
    client?.release();
  }
}

/** Begin and end go along with questions: a write to the socket takes as long as a small question takes the server. */
async function inReadOnly<T>(client: pg.Client, use: Reader<T>): Promise<T> {
  let isEnded = false;
  const end = () => {
    if (isEnded) return;
    isEnded = true;
    // Nothing was changed. A connection that broke meanwhile says so to the next question.
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

/** What is sent at once goes in one write. */
function together<T>(client: pg.Client, send: () => T): T {
  const { stream } = client.connection;
  stream.cork();
  try {
    return send();
  } finally {
    stream.uncork();
  }
}
