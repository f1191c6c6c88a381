import { ApiError } from '../../domain/errors.ts';

/** Maximum size of a JSON body. */
export const bodyLimitBytes = 256 * 1024;

/**
 * Reads a body as text. `Content-Type` is ignored: a body is always read as JSON, and since no cookie authenticates anyone, a forged
 * cross-site form gains nothing.
 * @throws ApiError `payload_too_large`; `malformed_json` when it is not UTF-8; `invalid_request` when it is compressed.
 */
export async function readLimitedText(request: Request): Promise<string> {
  return decodeBody(await readLimitedBytes(request, bodyLimitBytes));
}

/** @throws ApiError `malformed_json` when it is not UTF-8. */
export function decodeBody(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(body);
  } catch (cause) {
    throw new ApiError('malformed_json', 'The body is not UTF-8 text.', { cause });
  }
}

/**
 * Reads the raw body and counts its bytes while it streams, because the client's Content-Length is not trusted.
 * @throws ApiError `payload_too_large`; `invalid_request` when it is compressed.
 */
export async function readLimitedBytes(
  request: Request,
  limitBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const encoding = request.headers.get('content-encoding') ?? 'identity';
  if (encoding.trim().toLowerCase() !== 'identity') {
    throw new ApiError(
      'invalid_request',
      'The Content-Encoding of this request is not supported: send the body uncompressed.',
    );
  }
  if (Number(request.headers.get('content-length') ?? 0) > limitBytes) throw tooLarge(limitBytes);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > limitBytes) throw tooLarge(limitBytes);
    chunks.push(chunk);
  }
  return joined(chunks, size);
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

function tooLarge(limitBytes: number): ApiError {
  return new ApiError(
    'payload_too_large',
    `The body is larger than the limit of ${limitBytes / 1024} KB: send a smaller one.`,
  );
}
