import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';

const bytesMax = 16 * 1024;

/** The beginning of an error's text. The server compresses it like the rows that were requested. */
export async function errorWords(response: IncomingMessage): Promise<string> {
  const body: Readable =
    response.headers['content-encoding'] === 'zstd'
      ? pipeline(response, createZstdDecompress(), () => {}) // the reader of the stream reports the error
      : response;
  let words = '';
  for await (const chunk of body) {
    words += chunk;
    if (words.length > bytesMax) break;
  }
  return words.trim();
}
