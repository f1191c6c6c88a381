/** Encrypts like the control plane; written only from protocol/sealed-box. */
import {
  createCipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
} from 'node:crypto';
import { sealedBox, sealedBoxContext } from '../../../protocol/sealed-box.ts';

export function seal(
  sealingKey: string,
  place: { runnerId: string; job: string; epoch: number },
  clear: string,
): string {
  const ephemeral = generateKeyPairSync('x25519');
  const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: sealingKey }, format: 'jwk' });
  const shared = diffieHellman({ privateKey: ephemeral.privateKey, publicKey });
  const key = Buffer.from(hkdfSync('sha256', shared, '', sealedBox.hkdfInfo, 32));
  const iv = randomBytes(sealedBox.ivBytes);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(sealedBoxContext(place)));
  const text = Buffer.concat([cipher.update(clear, 'utf8'), cipher.final()]);
  const raw = Buffer.from(String(ephemeral.publicKey.export({ format: 'jwk' }).x), 'base64url');
  return Buffer.concat([raw, iv, text, cipher.getAuthTag()]).toString('base64url');
}
