import pg from 'pg';
import type { DataPlace } from '../../archive/archive.ts';
import { EngineError } from '../../engine-error.ts';
import { clientConfig } from '../client-config.ts';

/** Limits of the server are meant for the application's sessions. */
const withoutLimits = '-c statement_timeout=0 -c idle_in_transaction_session_timeout=0';

/**
 * Opens a connection for one task. It has no time limit, since data is counted and renamed on it. It ends when the job is stopped.
 * @param database a database other than the service's own
 * @throws EngineError; the signal's reason
 */
export async function withClient<T>(
  { address, env, signal }: Pick<DataPlace, 'address' | 'env' | 'signal'>,
  database: string | undefined,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const config = { ...clientConfig(address, env), options: withoutLimits };
  const client = new pg.Client(database === undefined ? config : { ...config, database });
  client.on('error', () => {});
  const end = () => void client.end().catch(() => {});
  signal.addEventListener('abort', end, { once: true });
  try {
    await client.connect();
    return await use(client);
  } catch (error) {
    signal.throwIfAborted();
    throw EngineError.from(error);
  } finally {
    signal.removeEventListener('abort', end);
    await client.end().catch(() => {});
  }
}
