/** Opens connections of the driver. The user chooses the image of a database, and so the packets that its server sends. */
import { type Connection, type ConnectionOptions, createConnection } from 'mysql2';

/** The part of the driver's connection that reads packets. */
interface Reading {
  handlePacket(packet?: unknown): void;
  stream: { destroy(): void };
  _handleFatalError(error: unknown): void;
}

/**
 * Starts to connect. A packet that the driver can't read ends the connection: for an unexpected packet, the driver throws in its listener
 * for the socket's data, which would be an uncaught exception and end the runner.
 * @returns the connection, whose errors are also given to the command that waits
 */
export function openConnection(options: ConnectionOptions): Connection {
  const connection = createConnection(options);
  connection.on('error', () => {}); // the next query reports the error
  const reading = connection as unknown as Reading;
  const handle = reading.handlePacket.bind(reading);
  reading.handlePacket = (packet) => {
    try {
      handle(packet);
    } catch (error) {
      reading._handleFatalError(error);
      reading.stream.destroy();
    }
  };
  return connection;
}

/** Waits until the connection is signed in. @throws the driver's error */
export function signedIn(connection: Connection): Promise<ReturnType<Connection['promise']>> {
  return new Promise((resolve, reject) =>
    connection.connect((error) => (error ? reject(error) : resolve(connection.promise()))),
  );
}
