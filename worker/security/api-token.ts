/**
 * Tokens of API keys: `lsk_<8 id><_><43 secret><6 checksum>`. The row is found by the id, which begins with the mark of its cell, and the secret (256
 * bits) verifies the token. Prefix and checksum let secret scanners and the platform recognise a token without a look-up.
 */

/** The stored part of a token. */
export interface TokenRecord {
  tokenId: string;
  /** SHA-256 of the secret part, hex. A slow hash is not needed, because the secret has 256 random bits. */
  secretHash: string;
}

export interface PresentedToken {
  tokenId: string;
  secret: string;
}

const prefix = 'lsk_';
const idAlphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
const secretAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const idLength = 8;
const secretLength = 43;
const checksumLength = 6;
const tokenPattern = /^lsk_([a-z0-9]{8})_([A-Za-z0-9]{43})([A-Za-z0-9]{6})$/;
/** Compared if no row exists, so that an unknown id takes as long as a wrong secret. */
const dummyHash = '0'.repeat(64);

/** The part of a token that may be shown: `lsk_<id>`. */
export const tokenPrefix = (tokenId: string) => `${prefix}${tokenId}`;

/**
 * @param cell mark of the cell that issues the token (protocol/ids)
 * @param tokenId of a token that gets a new secret; a new one if it is absent
 * @returns the token, to be shown once, and its stored part
 */
export async function issueToken(
  fillRandom: (bytes: Uint8Array<ArrayBuffer>) => void,
  cell: string,
  tokenId = cell + randomText(idLength - cell.length, idAlphabet, fillRandom),
): Promise<{ token: string; record: TokenRecord }> {
  const secret = randomText(secretLength, secretAlphabet, fillRandom);
  const token = `${tokenPrefix(tokenId)}_${secret}${checksum(tokenId, secret)}`;
  return { token, record: { tokenId, secretHash: await sha256Hex(secret) } };
}

/** Parses a token without a look-up. @returns null if the text can't be a token */
export function readToken(text: string): PresentedToken | null {
  const [, tokenId, secret, sum] = tokenPattern.exec(text) ?? [];
  if (tokenId === undefined || secret === undefined || sum !== checksum(tokenId, secret)) return null;
  return { tokenId, secret };
}

/** Compares in constant time. @param storedHash null if the token does not exist: the result is false, after the same amount of work */
export async function isValidToken(presented: PresentedToken, storedHash: string | null): Promise<boolean> {
  const equal = sameText(await sha256Hex(presented.secret), storedHash ?? dummyHash);
  return equal && storedHash !== null;
}

/** SHA-256 of a text, hex. */
export async function sha256Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Compares two texts of equal length in constant time; texts of other lengths differ. */
export function sameText(one: string, other: string): boolean {
  const encoder = new TextEncoder();
  const [first, second] = [encoder.encode(one), encoder.encode(other)];
  return first.byteLength === second.byteLength && crypto.subtle.timingSafeEqual(first, second);
}

function randomText(
  length: number,
  alphabet: string,
  fillRandom: (bytes: Uint8Array<ArrayBuffer>) => void,
): string {
  // Bytes at or above the bound are discarded, so that every character is equally likely.
  const unbiasedBelow = 256 - (256 % alphabet.length);
  const bytes = new Uint8Array(length * 2);
  let text = '';
  while (text.length < length) {
    fillRandom(bytes);
    for (const byte of bytes) {
      if (byte < unbiasedBelow && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}

/** CRC-32 of the token's text, in base 62: detects typing errors, but verifies nothing. */
function checksum(tokenId: string, secret: string): string {
  let rest = crc32(`${tokenId}_${secret}`);
  let text = '';
  for (let place = 0; place < checksumLength; place++) {
    text = secretAlphabet[rest % secretAlphabet.length] + text;
    rest = Math.floor(rest / secretAlphabet.length);
  }
  return text;
}

/** CRC-32 as in ISO 3309 (and zlib). */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of new TextEncoder().encode(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
