/** Detects a full server. Some servers send a surplus client no reason, so only the connection itself shows it. */
import { connect } from 'node:net';
import type { EngineAddress } from './engine.ts';

/** `down`: not accepted. `closed`: accepted, but ended without a byte. `silent`: no answer in time. */
export type Received = 'down' | 'closed' | 'silent' | 'answered';

/** Opens a connection and returns how it was received. Never rejects. @param hello the client's first bytes, if any */
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
  // A connection can be reset before the client knows that it was accepted. It is closed, too.
  socket.on('error', (error: NodeJS.ErrnoException) => {
    isAccepted ||= error.code === 'ECONNRESET';
  });
  socket.once('close', () => resolve(isAccepted ? 'closed' : 'down'));
  const received = await promise;
  clearTimeout(timer);
  socket.destroy();
  return received;
}
