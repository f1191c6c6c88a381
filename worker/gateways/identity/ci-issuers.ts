/** Issuers of identity tokens of CI jobs: their tokens are verified with the keys that they publish. */
import { decodeJwt, type JWTPayload } from 'jose';
import { ciSignatureAlgorithms } from '../../domain/access/trust/ci-providers.ts';
import { discoverIssuer, type IssuerMetadata } from './discover.ts';
import { type Fetch, type Guarded, guardedFetch } from './guarded-fetch.ts';
import type { KeySets } from './key-sets.ts';
import { createKnown, type KnownMetadata, type KnownMetadataLimits } from './known-metadata.ts';

export type CiIssuer = Guarded & { issuer: string };

export interface CiIssuers {
  /**
   * Claims of a token whose signature, issuer, expiry and beginning are verified. The caller checks the audience.
   * @throws SignInFailure
   */
  claims(issuer: CiIssuer, token: string, now: number): Promise<JWTPayload>;
}

/** What a token says, without any verification; undefined if it is no JSON Web Token. */
export function unverifiedClaims(token: string): unknown {
  try {
    return decodeJwt(token);
  } catch {
    return undefined;
  }
}

type KnownIssuers = KnownMetadata<CiIssuer, IssuerMetadata>;

export const createKnownIssuers = (limits: KnownMetadataLimits): KnownIssuers =>
  createKnown((issuer, fetch) => discoverIssuer(issuer, fetch, ciSignatureAlgorithms), limits);

export interface CiIssuerParts {
  fetch: Fetch;
  /** Also reaches private addresses (networks); if absent, `fetch` is used. */
  innerFetch?: Fetch;
  keySets: KeySets;
  metadata: KnownIssuers;
  timeLimitMs: number;
}

export function createCiIssuers({
  fetch,
  innerFetch = fetch,
  keySets,
  metadata,
  timeLimitMs,
}: CiIssuerParts): CiIssuers {
  return {
    async claims(named, token, now) {
      const guarded = guardedFetch(named.allowsPrivate ? innerFetch : fetch, timeLimitMs, named);
      const { issuer, jwks_uri: keysUrl } = await metadata.of(named, guarded);
      const { allowsPrivate } = named;
      const expected = { issuer, keysUrl, algorithms: ciSignatureAlgorithms, now, allowsPrivate };
      return keySets.verify(token, { ...expected, fetch: guarded });
    },
  };
}
