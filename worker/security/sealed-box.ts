/** Seals secrets for one runner: the control plane's side of protocol/sealed-box. Uses only WebCrypto, so it runs in workerd. */
import { sealedBox, sealedBoxContext } from '../../protocol/sealed-box.ts';
import { fromBase64Url, toBase64Url } from './base64url.ts';

/**
 * @param sealingKey the runner's X25519 public key, base64url
 * @param place binds the box to host, job and attempt, so that it can't be opened for another place
 * @throws DOMException if the key is invalid (including a low-order point)
 */
export async function sealBox(
  sealingKey: string,
  place: { runnerId: string; job: string; epoch: number },
  clear: string,
): Promise<string> {
  const recipient = await crypto.subtle.importKey('raw', fromBase64Url(sealingKey), 'X25519', false, []);
  const ephemeral = (await crypto.subtle.generateKey('X25519', false, ['deriveBits'])) as CryptoKeyPair;
  const key = await agreedKey(ephemeral.privateKey, recipient);
  const iv = crypto.getRandomValues(new Uint8Array(sealedBox.ivBytes));
  const additionalData = new TextEncoder().encode(sealedBoxContext(place));
  const ciphertext = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv, additionalData },
    key,
    new TextEncoder().encode(clear),
  );
  const publicKey = (await crypto.subtle.exportKey('raw', ephemeral.publicKey)) as ArrayBuffer;
  return toBase64Url(new Uint8Array(await new Blob([publicKey, iv, ciphertext]).arrayBuffer()));
}

/** Key agreement of RFC 7748, then RFC 5869 with an empty salt. */
async function agreedKey(privateKey: CryptoKey, publicKey: CryptoKey): Promise<CryptoKey> {
  // The generated types call this member `$public`; in the specification it is `public`.
  const algorithm = { name: 'X25519', public: publicKey } as unknown as SubtleCryptoDeriveKeyAlgorithm;
  const shared = await crypto.subtle.deriveBits(algorithm, privateKey, 256);
  const secret = await crypto.subtle.importKey('raw', shared, 'HKDF', false, ['deriveKey']);
  return crypto.subtle.deriveKey(
    {
      name: 'HKDF',
      hash: 'SHA-256',
      salt: new Uint8Array(),
      info: new TextEncoder().encode(sealedBox.hkdfInfo),
    },
    secret,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt'],
  );
}
