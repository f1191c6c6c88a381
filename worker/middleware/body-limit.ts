import { ApiError } from '../domain/errors.ts';

/** Largest JSON body. */
export const bodyLimitBytes = 256 * 1024;

/**
 * Reads a body as text, counting while it streams: what the client says about its length is not trusted.
 * @throws ApiError `payload_too_large`; `malformed_json` when it is not UTF-8.
 */
export async function readLimitedText(request: Request): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > bodyLimitBytes) throw tooLarge();
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });
  let text = '';
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > bodyLimitBytes) throw tooLarge();
    text += decode(decoder, chunk);
  }
  return text + decode(decoder);
}

function decode(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch (cause) {
    throw new ApiError('malformed_json', 'The body is not UTF-8 text.', { cause });
  }
}

function tooLarge(): ApiError {
  return new ApiError(
    'payload_too_large',
    `The body is larger than ${bodyLimitBytes / 1024} KB, the most that is taken.`,
  );
}
