/** Reads PEM text (RFC 7468), and converts private keys to the one form that WebCrypto and Caddy accept. Pure. */

export interface PemBlock {
  label: string;
  bytes: Uint8Array<ArrayBuffer>;
}

const begin = '-----BEGIN ';
const dashes = '-----';

/** All blocks in order; text around them is skipped. Truncated blocks and invalid base64 are left out. */
export function pemBlocks(text: string): PemBlock[] {
  return text
    .split(begin)
    .slice(1)
    .flatMap((part) => {
      const labelEnd = part.indexOf(dashes);
      const label = part.slice(0, Math.max(0, labelEnd));
      const bodyEnd = part.indexOf(`-----END ${label}${dashes}`);
      if (label === '' || bodyEnd === -1) return [];
      const bytes = fromBase64(part.slice(labelEnd + dashes.length, bodyEnd));
      return bytes ? [{ label, bytes }] : [];
    });
}

/** PEM with lines of 64 characters and a final line break. */
export function pemOf({ label, bytes }: PemBlock): string {
  const lines = btoa(String.fromCharCode(...bytes)).match(/.{1,64}/g) ?? [];
  return `${begin}${label}${dashes}\n${lines.join('\n')}\n-----END ${label}${dashes}\n`;
}

/**
 * PKCS #8 (RFC 5208) around a key in the older form of RSA (RFC 8017, A.1.2) or of elliptic curves (RFC 5915).
 * @param publicKey the certificate's SubjectPublicKeyInfo, which contains the algorithm
 */
export function pkcs8Of(key: Uint8Array, publicKey: Uint8Array): Uint8Array<ArrayBuffer> {
  const outer = contentStart(publicKey);
  const algorithm = publicKey.subarray(outer, outer + lengthOf(publicKey, outer));
  return element(0x30, [Uint8Array.of(0x02, 0x01, 0x00), algorithm, element(0x04, [key])]);
}

/** Position of the content of the DER element at the beginning. */
function contentStart(der: Uint8Array): number {
  const first = der[1] ?? 0;
  return first < 0x80 ? 2 : 2 + (first & 0x7f);
}

/** Length of the DER element at this position, with its head. */
function lengthOf(der: Uint8Array, at: number): number {
  const element = der.subarray(at);
  const start = contentStart(element);
  const first = element[1] ?? 0;
  if (first < 0x80) return start + first;
  return start + element.subarray(2, start).reduce((sum, byte) => sum * 256 + byte, 0);
}

function element(tag: number, parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  const head =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  const whole = new Uint8Array(1 + head.length + length);
  whole.set([tag, ...head]);
  let at = 1 + head.length;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text.replace(/\s/g, '')), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
