import { ApiError } from '../../domain/errors.ts';
import type { HeldBodies } from './held-bodies.ts';

/** Maximum size of a JSON body. */
export const bodyLimitBytes = 256 * 1024;

/** The group that counts a body while it is read, and the time limit of the body. */
export interface BodyReading {
  held: HeldBodies;
  /** The client's address, or the id of the key whose limits apply. */
  caller: string;
  timeoutMs: number;
}

/**
 * Reads a body as text. `Content-Type` is ignored: a body is always parsed as JSON, and because no cookie authenticates on its own,
 * a forged cross-site form gains nothing.
 * @throws ApiError as readLimitedBytes; `malformed_json` if it is not UTF-8.
 */
export async function readLimitedText(request: Request, reading: BodyReading): Promise<string> {
  return decodeBody(await readLimitedBytes(request, bodyLimitBytes, reading));
}

/** @throws ApiError `malformed_json` if it is not UTF-8. */
export function decodeBody(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(body);
  } catch (cause) {
    throw new ApiError('malformed_json', 'The body is not UTF-8 text.', { cause });
  }
}

/**
 * Reads the raw body and counts its bytes while it streams, because the client's Content-Length is not trusted.
 * @throws ApiError `payload_too_large`; `invalid_request` if it is compressed; `rate_limited` if too many are held at once; `request_timeout` if it
 *   does not arrive in time
 */
export async function readLimitedBytes(
  request: Request,
  limitBytes: number,
  { held, caller, timeoutMs }: BodyReading,
): Promise<Uint8Array<ArrayBuffer>> {
  const encoding = request.headers.get('content-encoding') ?? 'identity';
  if (encoding.trim().toLowerCase() !== 'identity') {
    throw new ApiError(
      'invalid_request',
      'The Content-Encoding of this request is not supported: send the body uncompressed.',
    );
  }
  const announced = Number(request.headers.get('content-length') ?? limitBytes);
  if (announced > limitBytes) throw tooLarge(limitBytes);
  if (!request.body) return new Uint8Array();
  const leave = held.enter(caller, Number.isNaN(announced) ? limitBytes : announced, timeoutMs);
  try {
    return await readUntil(request.body, limitBytes, timeoutMs);
  } finally {
    leave();
  }
}

async function readUntil(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  limitBytes: number,
  timeoutMs: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(tooLate(timeoutMs)), timeoutMs);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  try {
    for (;;) {
      const { value, done } = await Promise.race([reader.read(), late]);
      if (done) return joined(chunks, size);
      size += value.byteLength;
      if (size > limitBytes) throw tooLarge(limitBytes);
      chunks.push(value);
    }
  } catch (error) {
    // The rest is not needed, and the client may have disconnected.
    void reader.cancel().catch(() => undefined);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

const tooLate = (timeoutMs: number) =>
  new ApiError(
    'request_timeout',
    `The body did not arrive within ${timeoutMs / 1_000} seconds: send the request again over a faster connection.`,
  );

function tooLarge(limitBytes: number): ApiError {
  return new ApiError(
    'payload_too_large',
    `The body is larger than the limit of ${limitBytes / 1024} KB: send a smaller one.`,
  );
}
