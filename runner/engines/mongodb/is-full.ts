/**
 * MongoDB does not report a full server: it accepts the connection and closes it at once. A server that serves waits for the client's first
 * message, and one that is down accepts nothing.
 * https://www.mongodb.com/docs/manual/reference/configuration-options/#mongodb-setting-net.maxIncomingConnections
 */
import { ConnectionsFull } from '../connections-full.ts';
import type { EngineAddress } from '../engine.ts';
import { newConnection } from '../new-connection.ts';

/** A full server closes in a millisecond. */
const waitMs = 1_000;

/** @returns `undefined` if the server does not close new connections. Never rejects. */
export async function fullOf(address: EngineAddress, cause: unknown): Promise<ConnectionsFull | undefined> {
  const received = await newConnection(address, { waitMs });
  if (received !== 'closed') return undefined;
  return new ConnectionsFull({ things: 'connections', setting: 'maxConns' }, { cause });
}
