import pg from 'pg';
import { type EngineAddress, type EngineEnvironment, engineTimeoutMs } from '../engine.ts';
import { EngineError } from '../engine-error.ts';
import { clientConfig } from './client-config.ts';

/**
 * Opens a connection for a few small queries.
 * @throws EngineError
 */
export async function connected<T>(
  address: EngineAddress,
  env: EngineEnvironment,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ ...clientConfig(address, env), query_timeout: engineTimeoutMs });
  // When an idle connection breaks, the next query reports it.
  client.on('error', () => {});
  try {
    await client.connect();
    return await use(client);
  } catch (error) {
    throw EngineError.from(error);
  } finally {
    await client.end().catch(() => {});
  }
}
