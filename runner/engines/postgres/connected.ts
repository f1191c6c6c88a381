import type pg from 'pg';
import { type EngineAddress, type EngineEnvironment, engineTimeoutMs } from '../engine.ts';
import { BoundedStartClient, boundedAnswer } from './bounded-answer.ts';
import { clientConfig } from './client-config.ts';
import { connectionError } from './errors.ts';

/** Far more than a few small queries return. */
const tooLong = { bytesMax: 1024 * 1024, words: 'The answer of the database does not end.' };

/**
 * Opens a connection for a few small queries.
 * @param Client the class that connects
 * @throws EngineError
 */
export async function connected<T>(
  address: EngineAddress,
  env: EngineEnvironment,
  use: (client: pg.Client) => Promise<T>,
  Client: typeof BoundedStartClient = BoundedStartClient,
): Promise<T> {
  const client = new Client({ ...clientConfig(address, env), query_timeout: engineTimeoutMs });
  // The next query reports a break of the idle connection.
  client.on('error', () => {});
  try {
    await client.connect();
    return await boundedAnswer(client, tooLong, () => use(client));
  } catch (error) {
    throw connectionError(error);
  } finally {
    await client.end().catch(() => {});
  }
}
