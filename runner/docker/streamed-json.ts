/** Reads the answers of Docker's long calls: one JSON value per line. */
import { addAbortSignal, Readable } from 'node:stream';

/**
 * Yields each line's value; ends with the stream.
 * Aborting the signal closes the connection, which stops the daemon's work.
 */
export async function* streamedJson<T>(
  stream: NodeJS.ReadableStream,
  signal: AbortSignal,
): AsyncGenerator<T> {
  const readable = stream instanceof Readable ? stream : new Readable().wrap(stream);
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of addAbortSignal(signal, readable)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim()) yield JSON.parse(line) as T;
  }
  if (rest.trim()) yield JSON.parse(rest) as T;
}
