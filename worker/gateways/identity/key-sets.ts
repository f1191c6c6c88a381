/** The keys with which providers sign. Keys rotate, so a token with an unknown key causes another fetch of the set, but not too often. */
import { createRemoteJWKSet, customFetch, errors, type JWTPayload, jwtVerify } from 'jose';
import { signatureAlgorithms } from '../../domain/access/identity-providers.ts';
import { type Fetch, SignInFailure } from './guarded-fetch.ts';

export interface KeySets {
  /**
   * Verifies the signature, the issuer, the audience and the times of a token.
   * @throws SignInFailure
   */
  verify(token: string, expected: Expected): Promise<JWTPayload>;
}

export interface Expected {
  keysUrl: string;
  issuer: string;
  /** If absent, the caller checks the audience. */
  audience?: string;
  /** Accepted signatures; default: those of sign-ins. */
  algorithms?: string[];
  /** Epoch milliseconds. */
  now: number;
  fetch: Fetch;
  /** Whether `fetch` reaches private addresses: such a set is not used for callers that may not. */
  allowsPrivate?: boolean;
}

type KeySet = ReturnType<typeof createRemoteJWKSet>;

/** Allowed difference, because servers' clocks differ. */
export const clockToleranceSeconds = 30;
const cacheMs = 600_000;
const keySetsMax = 50;

/** @param cooldownMs pause between two fetches of the same set, for any number of unknown keys */
export function createKeySets(cooldownMs: number): KeySets {
  const known = new Map<string, KeySet>();
  const keySetOf = ({ keysUrl, fetch, allowsPrivate = false }: Expected): KeySet => {
    const name = `${allowsPrivate} ${keysUrl}`;
    const found = known.get(name);
    if (found) return found;
    if (known.size >= keySetsMax) known.clear();
    const made = createRemoteJWKSet(new URL(keysUrl), {
      [customFetch]: (url, init) => fetch(url, { ...init, signal: null }),
      ...{ cooldownDuration: cooldownMs, cacheMaxAge: cacheMs },
    });
    known.set(name, made);
    return made;
  };
  return {
    async verify(token, expected) {
      const { issuer, audience, algorithms = signatureAlgorithms, now } = expected;
      try {
        const { payload } = await jwtVerify(token, keySetOf(expected), {
          ...{ issuer, algorithms, clockTolerance: clockToleranceSeconds },
          ...(audience === undefined ? {} : { audience }),
          ...{ requiredClaims: ['exp', 'iat', 'sub'], currentDate: new Date(now) },
        });
        return payload;
      } catch (error) {
        throw asFailure(error);
      }
    },
  };
}

function asFailure(error: unknown): SignInFailure {
  if (error instanceof SignInFailure) return error;
  const options = { cause: error };
  if (error instanceof errors.JWTExpired)
    return new SignInFailure('refused', 'The token has expired.', options);
  if (error instanceof errors.JWTClaimValidationFailed)
    return new SignInFailure('refused', `The token has a wrong or missing "${error.claim}".`, options);
  if (error instanceof errors.JOSEAlgNotAllowed)
    return new SignInFailure(
      'refused',
      'The token is signed with an algorithm that is not accepted.',
      options,
    );
  if (
    error instanceof errors.JWKSTimeout ||
    (error instanceof errors.JOSEError && error.code === 'ERR_JOSE_GENERIC')
  )
    return new SignInFailure('unreachable', 'The keys of the provider could not be fetched.', options);
  return new SignInFailure('refused', 'The signature of the token is not valid.', options);
}
