/** Sends a part of a file as a request body through one reused buffer: `fetch` allocates new memory for each piece. */
import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { json } from 'node:stream/consumers';
import { request as httpRequest } from '../base/node-http.ts';
import { piecesOf } from './backup-files.ts';
import type { ChunkCipher } from './encryption/age-format.ts';
import { plainPiecesOf } from './encryption/plain-pieces.ts';

/** A connection without any traffic for this long counts as dead. */
const silenceMs = 5 * 60_000;

export interface FilePart {
  path: string;
  /** The start in bytes; of the decrypted data, if a cipher is given. */
  start: number;
  length: number;
  /** Decrypts the file. Absent: its stored bytes are sent. */
  cipher?: ChunkCipher | undefined;
}

export interface PutAnswer {
  status: number;
  /** `null` if the body is not JSON. */
  body: unknown;
}

/**
 * Stops sending when an answer arrives before the last byte.
 * @throws the connection's error; Error when the file is too short; the signal's AbortError
 */
export async function putFile(
  url: URL,
  part: FilePart,
  { headers, signal }: { headers: Record<string, string>; signal?: AbortSignal | undefined },
): Promise<PutAnswer> {
  const begin = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const request = begin(url, {
    method: 'PUT',
    headers: {
      ...headers,
      'content-length': String(part.length),
      'content-type': 'application/octet-stream',
    },
    ...(signal && { signal }),
  });
  request.setTimeout(silenceMs, () => request.destroy(new Error('The server stopped answering.')));
  // `once` no longer listens after the response, but the connection can break after an early one, too.
  request.on('error', () => {});
  const answered = once(request, 'response') as Promise<[IncomingMessage]>;
  answered.catch(() => {}); // thrown below
  try {
    await sendBody(request, part, answered);
    const [response] = await answered;
    return { status: response.statusCode ?? 0, body: await json(response).catch(() => null) };
  } finally {
    // An early answer ends the sending.
    if (!request.writableFinished) request.destroy();
  }
}

async function sendBody(
  request: ClientRequest,
  { path, start, length, cipher }: FilePart,
  answered: Promise<unknown>,
): Promise<void> {
  let isAnswered = false;
  let sent = 0;
  const early = answered.then(() => {
    isAnswered = true;
  });
  early.catch(() => {}); // the caller that awaits the answer throws it
  const range = { start, length };
  for await (const piece of cipher ? plainPiecesOf(path, cipher, range) : piecesOf(path, range)) {
    await Promise.race([written(request, piece), early]);
    if (isAnswered) return;
    sent += piece.length;
  }
  if (sent < length) throw new Error('The file became shorter while it was sent.');
  request.end();
}

/** Waits until the piece's buffer can be reused. A lost connection is reported by the answer, not here. */
function written(request: ClientRequest, piece: Buffer): Promise<void> {
  return new Promise((resolve) => {
    request.write(piece, () => resolve());
  });
}
