/**
 * Hashes of passwords that hosts check: PBKDF2 with HMAC-SHA-256 (RFC 8018), because Web Crypto computes it natively here, and Node in
 * its thread pool on the host. bcrypt would be JavaScript in both, and would delay all other answers of `edge` on the host.
 */

/** The maximum in Workers. https://developers.cloudflare.com/workers/runtime-apis/web-crypto/ */
const iterations = 100_000;
const hashBits = 256;

/** @returns `<iterations>:<salt>:<hash>`, the last two in base64 */
export async function hashPassword(password: string): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(16));
  const text = new TextEncoder().encode(password);
  const key = await crypto.subtle.importKey('raw', text, 'PBKDF2', false, ['deriveBits']);
  const bits = await crypto.subtle.deriveBits(
    { name: 'PBKDF2', hash: 'SHA-256', salt, iterations },
    key,
    hashBits,
  );
  return `${iterations}:${base64(salt)}:${base64(new Uint8Array(bits))}`;
}

const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));
