/** Decrypts texts that the control plane encrypted for this runner; the format is in protocol/sealed-box. */
import { createDecipheriv, createPublicKey, diffieHellman, hkdfSync, type KeyObject } from 'node:crypto';
import { sealedBox, sealedBoxContext } from '../../protocol/sealed-box.ts';

const tagBytes = 16;
const keyBytes = 32;

/**
 * @param openingKey the runner's X25519 private key
 * @param place the recipient of the box; a box for another host, job or attempt does not open
 * @throws Error when key, place and box do not belong together; its message contains no part of the content
 */
export function openSealedBox(
  openingKey: KeyObject,
  place: { runnerId: string; job: string; epoch: number },
  sealed: string,
): string {
  const box = Buffer.from(sealed, 'base64url');
  const { publicKeyBytes, ivBytes } = sealedBox;
  if (box.length < publicKeyBytes + ivBytes + tagBytes) throw new Error('the sealed box is too short');
  const ephemeralKey = box.subarray(0, publicKeyBytes);
  const iv = box.subarray(publicKeyBytes, publicKeyBytes + ivBytes);
  const ciphertext = box.subarray(publicKeyBytes + ivBytes, -tagBytes);
  const decipher = createDecipheriv('aes-256-gcm', agreedKey(openingKey, ephemeralKey), iv);
  decipher.setAAD(Buffer.from(sealedBoxContext(place)));
  decipher.setAuthTag(box.subarray(-tagBytes));
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
}

/** X25519 key agreement (RFC 7748; a low-order point throws), then HKDF (RFC 5869) with an empty salt. */
function agreedKey(openingKey: KeyObject, ephemeralKey: Buffer): Buffer {
  const x = ephemeralKey.toString('base64url');
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x }, format: 'jwk' });
  const shared = diffieHellman({ privateKey: openingKey, publicKey });
  return Buffer.from(hkdfSync('sha256', shared, Buffer.alloc(0), sealedBox.hkdfInfo, keyBytes));
}
