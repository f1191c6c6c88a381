/** Limits the size of answers that would fill the memory: the driver assembles a whole message before its size is known. */
import pg from 'pg';
import { EngineError } from '../engine-error.ts';
import { guardConnection } from './guarded-connection.ts';

/**
 * Drops the connection when more than `bytesMax` bytes have arrived since the start or the last call of `progress`.
 * @throws EngineError `invalid_request` with these words
 */
export async function boundedAnswer<T>(
  client: pg.Client,
  { bytesMax, words }: { bytesMax: number; words: string },
  ask: (progress: () => void) => Promise<T>,
): Promise<T> {
  const { stream } = client.connection;
  let bytes = 0;
  const watch = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bytesMax) stream.destroy();
  };
  // Runs before the driver's own listener, which would throw on a text that is too long for a string.
  stream.prependListener('data', watch);
  try {
    return await ask(() => {
      bytes = 0;
    });
  } catch (error) {
    if (bytes > bytesMax) throw new EngineError('invalid_request', words, { cause: error });
    throw error;
  } finally {
    stream.removeListener('data', watch);
  }
}

/** The size limit at the start of a session, when the server sends only its settings. */
const startBytesMax = 1024 * 1024;

/**
 * A client that closes the connection if the server's first answer, before any query, exceeds a limit, or if it sends malformed
 * messages. The server may be a user's own image.
 */
export class BoundedStartClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    guardConnection(this);
    const { stream } = this.connection;
    let bytes = 0;
    const watch = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > startBytesMax) stream.destroy();
    };
    stream.prependListener('data', watch);
    this.once('connect', () => stream.removeListener('data', watch));
  }
}
