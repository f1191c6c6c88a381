/**
 * ClickHouse serves `max_connections` clients at a time, lets as many more wait without a word, and closes the rest. A server that hangs is
 * as silent as a full one: only one that has so many clients is asked (`databases/full-watch.ts`), or has just left a statement unanswered.
 * https://clickhouse.com/docs/operations/server-configuration-parameters/settings#max_connections
 */
import { ConnectionsFull } from '../connections-full.ts';
import type { EngineAddress } from '../engine.ts';
import { newConnection } from '../new-connection.ts';

/** It answers `/ping` in a millisecond, also under load. */
const waitMs = 3_000;

/** @returns undefined if the server answers a new client, or accepts none. Never rejects. */
export async function notServed(
  address: EngineAddress,
  cause: unknown,
): Promise<ConnectionsFull | undefined> {
  const received = await newConnection(address, { waitMs, hello: 'GET /ping HTTP/1.0\r\n\r\n' });
  if (received !== 'closed' && received !== 'silent') return undefined;
  return new ConnectionsFull({ things: 'connections', setting: 'max_connections' }, { cause });
}
