/**
 * MongoDB gives a client that is one too many no reason: it accepts the connection and closes it at once. A server that serves waits for
 * the client's first message, and one that is down accepts nothing.
 * https://www.mongodb.com/docs/manual/reference/configuration-options/#mongodb-setting-net.maxIncomingConnections
 */
import { connect } from 'node:net';
import { ConnectionsFull } from '../connections-full.ts';
import type { EngineAddress } from '../engine.ts';

/** A full server closes in a millisecond. */
const waitMs = 1_000;

/** @returns undefined if the server does not close new connections. Never rejects. */
export async function fullOf(
  { host, port }: EngineAddress,
  cause: unknown,
): Promise<ConnectionsFull | undefined> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let isAccepted = false;
  const socket = connect({ host, port, timeout: waitMs }, () => {
    isAccepted = true;
  });
  socket.once('timeout', () => resolve(false));
  socket.once('data', () => resolve(false));
  // A connection can be reset before the client has heard that it was accepted. It is closed, too.
  socket.on('error', (error: NodeJS.ErrnoException) => {
    isAccepted ||= error.code === 'ECONNRESET';
  });
  socket.once('close', () => resolve(isAccepted));
  const isFull = await promise;
  socket.destroy();
  return isFull ? new ConnectionsFull({ things: 'connections', setting: 'maxConns' }, { cause }) : undefined;
}
