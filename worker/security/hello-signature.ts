import { helloSigningText } from '../../protocol/enrolment.ts';
import { fromBase64Url } from './base64url.ts';

/**
 * Whether a hello was signed by the runner's Ed25519 identity key.
 * @param identityKey base64url, from the runner's row; malformed input counts as an invalid signature
 */
export async function isValidHello(
  identityKey: string,
  hello: { runnerId: string; bootId: string; nonce: string; audience: string; signature: string },
): Promise<boolean> {
  try {
    const key = await crypto.subtle.importKey('raw', fromBase64Url(identityKey), 'Ed25519', false, [
      'verify',
    ]);
    const text = new TextEncoder().encode(helloSigningText(hello));
    return await crypto.subtle.verify('Ed25519', key, fromBase64Url(hello.signature), text);
  } catch {
    return false;
  }
}
