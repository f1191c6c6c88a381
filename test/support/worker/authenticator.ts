/**
 * A device with passkeys, in software: real structures (https://www.w3.org/TR/webauthn-3/#sctn-authenticator-data), signed by real keys.
 * Each part of an answer can be made wrong.
 */
import { isoCBOR } from '@simplewebauthn/server/helpers';

const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
const encode = (text: string) => new Uint8Array(new TextEncoder().encode(text));
const sha256 = async (bytes: Uint8Array<ArrayBuffer>) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
const joined = (...parts: Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));

type Algorithm = 'ES256' | 'EdDSA' | 'RS256' | 'ES384';

/** Faults of an answer, or properties of another device. */
export interface Wrong {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  crossOrigin?: boolean;
  /** Flags that are not set. */
  without?: ('UP' | 'UV')[];
  /** Whether it claims that the passkey can be copied to other devices. */
  canSync?: boolean;
  counter?: number;
  userHandle?: string;
  id?: string;
  /** Changes the signed data afterwards. */
  tamper?: boolean;
  /** Certificates of the device. */
  x5c?: boolean;
}

interface Page {
  origin: string;
  rpId: string;
}

export class Authenticator {
  readonly id = crypto.getRandomValues(new Uint8Array(16));
  counter = 0;
  /** Whether it counts its signatures; synced passkeys don't. */
  counts = true;
  userHandle = '';
  readonly #algorithm: Algorithm;
  readonly #keys: CryptoKeyPair;

  private constructor(algorithm: Algorithm, keys: CryptoKeyPair) {
    this.#algorithm = algorithm;
    this.#keys = keys;
  }

  static async create(algorithm: Algorithm = 'ES256'): Promise<Authenticator> {
    const keys = await crypto.subtle.generateKey(generation[algorithm], true, ['sign', 'verify']);
    return new Authenticator(algorithm, keys as CryptoKeyPair);
  }

  get credentialId(): string {
    return base64Url(this.id);
  }

  /** Answers navigator.credentials.create(). */
  async make(options: { challenge: string; user: { id: string } }, page: Page, wrong: Wrong = {}) {
    this.userHandle = options.user.id;
    const clientData = this.#clientData(options.challenge, page, 'webauthn.create', wrong);
    const authData = joined(
      await this.#head(page, wrong, 0x40),
      new Uint8Array(16),
      Uint8Array.of(0, this.id.length),
      this.id,
      await this.#publicKey(),
    );
    const statement = new Map<string, unknown>(
      wrong.x5c
        ? [
            ['x5c', [encode('certificate')]],
            ['alg', -7],
            ['sig', encode('signature')],
          ]
        : [],
    );
    const attestation = new Map<string, unknown>([
      ['fmt', wrong.x5c ? 'packed' : 'none'],
      ['attStmt', statement],
      ['authData', authData],
    ]);
    const attestationObject = isoCBOR.encode(attestation as never);
    return {
      ...this.#named(wrong),
      response: {
        clientDataJSON: base64Url(clientData),
        attestationObject: base64Url(attestationObject),
        transports: ['internal'],
      },
      clientExtensionResults: {},
      authenticatorAttachment: 'platform',
    };
  }

  /** Answers navigator.credentials.get(). */
  async sign(options: { challenge: string }, page: Page, wrong: Wrong = {}) {
    if (this.counts) this.counter += 1;
    const clientData = this.#clientData(options.challenge, page, 'webauthn.get', wrong);
    const authData = await this.#head(page, wrong, 0);
    const signed = joined(authData, await sha256(clientData));
    if (wrong.tamper) authData[36] = (authData[36] ?? 0) + 1;
    return {
      ...this.#named(wrong),
      response: {
        clientDataJSON: base64Url(clientData),
        authenticatorData: base64Url(authData),
        signature: base64Url(await this.#signature(signed)),
        userHandle: wrong.userHandle ?? this.userHandle,
      },
      clientExtensionResults: {},
    };
  }

  #named(wrong: Wrong) {
    const id = wrong.id ?? this.credentialId;
    return { id, rawId: id, type: 'public-key' };
  }

  #clientData(challenge: string, { origin }: Page, type: string, wrong: Wrong) {
    const { crossOrigin = false } = wrong;
    const own = { type: wrong.type ?? type, challenge: wrong.challenge ?? challenge };
    return encode(JSON.stringify({ ...own, origin: wrong.origin ?? origin, crossOrigin }));
  }

  async #head({ rpId }: Page, wrong: Wrong, extra: number) {
    const without = wrong.without ?? [];
    const canSync = wrong.canSync ?? !this.counts;
    const flags =
      (without.includes('UP') ? 0 : 0x01) |
      (without.includes('UV') ? 0 : 0x04) |
      (canSync ? 0x18 : 0) |
      extra;
    const counter = new Uint8Array(4);
    new DataView(counter.buffer).setUint32(0, wrong.counter ?? this.counter);
    return joined(await sha256(encode(wrong.rpId ?? rpId)), Uint8Array.of(flags), counter);
  }

  /** A COSE key (RFC 9052, section 7; RFC 9053, sections 2 and 7). */
  async #publicKey(): Promise<Uint8Array> {
    const jwk = (await crypto.subtle.exportKey('jwk', this.#keys.publicKey)) as JsonWebKey;
    const bytes = (text = '') =>
      Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));
    const { kty, alg, crv } = cose[this.#algorithm];
    const key = new Map<number, unknown>([
      [1, kty],
      [3, alg],
    ]);
    if (this.#algorithm === 'RS256') key.set(-1, bytes(jwk.n)).set(-2, bytes(jwk.e));
    else key.set(-1, crv).set(-2, bytes(jwk.x));
    if (jwk.y !== undefined) key.set(-3, bytes(jwk.y));
    return isoCBOR.encode(key as never);
  }

  async #signature(signed: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
    const how = signing[this.#algorithm];
    const raw = new Uint8Array(await crypto.subtle.sign(how, this.#keys.privateKey, signed));
    return this.#algorithm.startsWith('ES') ? derOf(raw) : raw;
  }
}

const generation = {
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  ES384: { name: 'ECDSA', namedCurve: 'P-384' },
  EdDSA: { name: 'Ed25519' },
  RS256: {
    name: 'RSASSA-PKCS1-v1_5',
    modulusLength: 2048,
    publicExponent: Uint8Array.of(1, 0, 1),
    hash: 'SHA-256',
  },
};
const signing = {
  ES256: { name: 'ECDSA', hash: 'SHA-256' },
  ES384: { name: 'ECDSA', hash: 'SHA-384' },
  EdDSA: { name: 'Ed25519' },
  RS256: { name: 'RSASSA-PKCS1-v1_5' },
};
const cose = {
  ES256: { kty: 2, alg: -7, crv: 1 },
  ES384: { kty: 2, alg: -35, crv: 2 },
  EdDSA: { kty: 1, alg: -8, crv: 6 },
  RS256: { kty: 3, alg: -257, crv: 0 },
};

/** WebCrypto returns r and s concatenated; devices send them in DER (section 6.5.5). */
function derOf(raw: Uint8Array): Uint8Array {
  const half = raw.length / 2;
  const numbers = [raw.subarray(0, half), raw.subarray(half)].map((part) => {
    const first = part.findIndex((byte) => byte !== 0);
    const short = [...part.subarray(first)];
    const value = (short[0] ?? 0) > 0x7f ? [0, ...short] : short;
    return [0x02, value.length, ...value];
  });
  const content = numbers.flat();
  return Uint8Array.of(0x30, content.length, ...content);
}
