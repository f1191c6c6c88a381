/** Keeps a server's malformed messages from ending the runner: the image of a database is its user's choice, and so is what it sends. */
import type { Duplex } from 'node:stream';
import type pg from 'pg';

/** Where the driver begins to read: on the socket, or on the TLS socket that replaces it. */
interface Reading {
  attachListeners(stream: Pick<Duplex, 'on'>): void;
}

/**
 * The driver parses in its listener for the socket's data, so what it throws there would be an uncaught exception. Instead, it ends this
 * connection: the query that waits fails with the error. Call it before the client connects.
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
