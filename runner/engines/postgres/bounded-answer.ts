/** An end to answers that would fill the memory: the driver puts a whole message together before anyone sees its size. */
import type pg from 'pg';
import { EngineError } from '../engine-error.ts';

/**
 * Drops the connection once more than `bytesMax` have come since the beginning, or since the last call of `progress`.
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
  // Before the driver's own listener, which would throw on a text that no string can hold.
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
