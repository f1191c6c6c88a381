/** Identity providers: OpenID Connect with the authorization code flow and PKCE, and the assertions of Cloudflare Access. */
import { calculatePKCECodeChallenge } from 'oauth4webapi';
import { checkKeys, checkProvider, type ProviderCheck } from './check-provider.ts';
import { exchangeCode } from './exchange-code.ts';
import { type Fetch, type Guarded, guardedFetch } from './guarded-fetch.ts';
import type { KeySets } from './key-sets.ts';
import type { KnownMetadata } from './known-metadata.ts';
import type { AttemptSecrets, Claims, OidcClient } from './oidc-client.ts';

export interface IdentityServers {
  /** The address to which the browser goes for the sign-in. @throws SignInFailure */
  authorizationUrl(client: OidcClient, secrets: AttemptSecrets): Promise<string>;
  /** Redeems the code from the provider's redirect. */
  claims(client: OidcClient, secrets: AttemptSecrets, parameters: URLSearchParams): Promise<Claims>;
  /** Claims of the header that Cloudflare Access adds to each request. @throws SignInFailure */
  accessClaims(application: Guarded & { issuer: string; audience: string }, token: string): Promise<Claims>;
  /** Runs all tests that need no person. */
  check(client: OidcClient, redirectUri: string): Promise<ProviderCheck[]>;
  checkAccess(application: Guarded & { issuer: string }): Promise<ProviderCheck[]>;
}

/** State of this isolate: metadata and sets of keys, which are kept between requests. */
export interface IdentityServerParts {
  fetch: Fetch;
  /** Also reaches private addresses (networks); if absent, `fetch` is used. */
  innerFetch?: Fetch;
  keySets: KeySets;
  metadata: KnownMetadata;
  timeLimitMs: number;
  now(): number;
}

/** Paths of Cloudflare Access below the team's address. */
const accessKeysUrl = (issuer: string) => `${issuer}/cdn-cgi/access/certs`;

const scope = 'openid email profile';

export function createIdentityServers({
  fetch,
  innerFetch = fetch,
  keySets,
  metadata,
  timeLimitMs,
  now,
}: IdentityServerParts): IdentityServers {
  const guarded = (guard: Guarded) =>
    guardedFetch(guard.allowsPrivate ? innerFetch : fetch, timeLimitMs, guard);
  return {
    async authorizationUrl(client, { state, nonce, codeVerifier, redirectUri }) {
      const { authorization_endpoint: endpoint } = await metadata.of(client, guarded(client));
      const url = new URL(endpoint);
      const parameters = {
        ...{
          response_type: 'code',
          client_id: client.clientId,
          redirect_uri: redirectUri,
          scope,
          state,
          nonce,
        },
        ...{ code_challenge: await calculatePKCECodeChallenge(codeVerifier), code_challenge_method: 'S256' },
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    },
    claims: (client, secrets, parameters) =>
      exchangeCode({ client, secrets, parameters, fetch: guarded(client), keySets, metadata, now: now() }),
    async accessClaims({ issuer, audience, allowsPrivate }, token) {
      const expected = { issuer, audience, now: now(), keysUrl: accessKeysUrl(issuer) };
      const payload = await keySets.verify(token, { ...expected, fetch: guarded({ allowsPrivate }) });
      return payload as Claims;
    },
    check: (client, redirectUri) => checkProvider(client, redirectUri, guarded(client)),
    checkAccess: async ({ issuer, allowsPrivate }) => [
      await checkKeys(accessKeysUrl(issuer), guarded({ allowsPrivate })),
    ],
  };
}
