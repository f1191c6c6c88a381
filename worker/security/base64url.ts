/** base64url without padding (RFC 4648, section 5), for keys and ciphertexts. */
import { decodeBase64Url, encodeBase64Url } from 'hono/utils/encode';

export function toBase64Url(bytes: Uint8Array<ArrayBuffer>): string {
  return encodeBase64Url(bytes.slice().buffer).replace(/=+$/, '');
}

/** @throws DOMException for text outside the alphabet */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return decodeBase64Url(text);
}
