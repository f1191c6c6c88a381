/** Keeps a server's malformed messages from ending the runner: the user chooses a database's image, and so what its server sends. */
import type { Duplex } from 'node:stream';
import type pg from 'pg';

/** The stream from which the driver reads: the socket, or the TLS socket that replaces it. */
interface Reading {
  attachListeners(stream: Pick<Duplex, 'on'>): void;
}

/**
 * The driver parses in its listener for the socket's data, so an error there would be an uncaught exception. Instead, the error ends this
 * connection, and the waiting query fails with it. Call this before the client connects.
 */
export function guardConnection(client: pg.Client): void {
  const connection = client.connection as unknown as Reading;
  const attach = connection.attachListeners.bind(connection);
  connection.attachListeners = (stream) => attach(guarded(stream as Duplex));
}

function guarded(stream: Duplex): Pick<Duplex, 'on'> {
  return {
    on(event: string, listener: (...values: unknown[]) => void) {
      if (event !== 'data') return stream.on(event, listener);
      return stream.on(event, (chunk: Buffer) => {
        try {
          listener(chunk);
        } catch (cause) {
          stream.destroy(new Error('The server sent a message that PostgreSQL never sends.', { cause }));
        }
      });
    },
  } as Pick<Duplex, 'on'>;
}
