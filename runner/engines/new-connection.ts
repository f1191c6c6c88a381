/** Some servers tell a client that is one too many nothing, so the connection itself has to tell. */
import { connect } from 'node:net';
import type { EngineAddress } from './engine.ts';

/** `down`: it was not accepted. `closed`: it was, and ended without a byte. `silent`: nothing came in time. */
export type Received = 'down' | 'closed' | 'silent' | 'answered';

/** Opens one, and says how it is received. Never rejects. @param hello what the client sends first, if anything */
export async function newConnection(
  { host, port }: EngineAddress,
  { waitMs, hello }: { waitMs: number; hello?: string },
): Promise<Received> {
  const { promise, resolve } = Promise.withResolvers<Received>();
  let isAccepted = false;
  const socket = connect({ host, port }, () => {
    isAccepted = true;
    if (hello !== undefined) socket.write(hello);
  });
  const timer = setTimeout(() => resolve(isAccepted ? 'silent' : 'down'), waitMs);
  socket.once('data', () => resolve('answered'));
  // A connection can be reset before the client has heard that it was accepted. It is closed, too.
  socket.on('error', (error: NodeJS.ErrnoException) => {
    isAccepted ||= error.code === 'ECONNRESET';
  });
  socket.once('close', () => resolve(isAccepted ? 'closed' : 'down'));
  const received = await promise;
  clearTimeout(timer);
  socket.destroy();
  return received;
}
