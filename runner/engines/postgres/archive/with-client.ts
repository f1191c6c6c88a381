import type pg from 'pg';
import type { DataPlace } from '../../archive/archive.ts';
import { ConnectionsFull } from '../../connections-full.ts';
import { BoundedStartClient } from '../bounded-answer.ts';
import { clientConfig } from '../client-config.ts';
import { connectionError } from '../errors.ts';
import { ReplicationClient } from '../replication-slot.ts';

type Place = Pick<DataPlace, 'address' | 'env' | 'signal'>;

/** Settings of a database or a role must not stop the work. Settings of the connection override both. */
export const sessionOptions =
  '-c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0 -c default_transaction_read_only=off -c search_path=public -c role=none';

/**
 * Opens a connection for one task. It has no time limit, since data is counted and renamed on it. It ends when the job is stopped. If the
 * clients of the service use all connections, it takes a place for replication.
 * @param database a database other than the service's own
 * @throws EngineError; the signal's reason
 */
export async function withClient<T>(
  place: Place,
  database: string | undefined,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> {
  return withClients(place, [database], async ([client]) => use(client as pg.Client));
}

/** The same, with a connection to each of these databases. */
export async function withClients<T>(
  { address, env, signal }: Place,
  databases: readonly (string | undefined)[],
  use: (clients: pg.Client[]) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const config = { ...clientConfig(address, env), options: sessionOptions };
  const opened = new Opened();
  const end = () => opened.end();
  const stop = () => void end();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const clients = await Promise.all(
      databases.map((database) => open(database === undefined ? config : { ...config, database }, opened)),
    );
    return await use(clients);
  } catch (error) {
    signal.throwIfAborted();
    throw connectionError(error);
  } finally {
    signal.removeEventListener('abort', stop);
    await end();
  }
}

/** Clients that must be ended. After that, no further client is opened: when one database refuses, another may still be connecting. */
class Opened {
  readonly #clients: pg.Client[] = [];
  #isOver = false;

  add(client: pg.Client): void {
    if (this.#isOver) throw new Error('the connection is not needed any more');
    this.#clients.push(client.on('error', () => {}));
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#clients.map((client) => client.end().catch(() => {})));
  }
}

/** @throws the errors of connecting */
async function open(config: pg.ClientConfig, opened: Opened): Promise<pg.Client> {
  const begin = async (client: pg.Client) => {
    opened.add(client);
    await client.connect();
    // Only newer versions have these limits.
    await client.query(
      "SELECT set_config(name, '0', false) FROM pg_catalog.pg_settings WHERE name IN ('transaction_timeout', 'idle_session_timeout')",
    );
    return client;
  };
  try {
    return await begin(new BoundedStartClient(config));
  } catch (error) {
    const reason = connectionError(error);
    if (!(reason instanceof ConnectionsFull)) throw error;
    return await begin(new ReplicationClient(config)).catch(() => Promise.reject(reason));
  }
}
