import {
  type AuthorizationServer,
  allowInsecureRequests,
  type CustomFetchOptions,
  customFetch,
  discoveryRequest,
  processDiscoveryResponse,
} from 'oauth4webapi';
import { signatureAlgorithms } from '../../domain/access/identity-providers.ts';
import { allowedUrl, type Fetch, type Guarded, SignInFailure } from './guarded-fetch.ts';
import type { OidcClient } from './oidc-client.ts';

/** Metadata of a provider with everything that a sign-in needs. */
export type Metadata = AuthorizationServer & {
  authorization_endpoint: string;
  token_endpoint: string;
  jwks_uri: string;
};

/** Metadata of an issuer whose tokens are only verified. */
export type IssuerMetadata = AuthorizationServer & { jwks_uri: string };

type Body = URLSearchParams | undefined;

/** For requests by the library: the guard decides which addresses are allowed, including http. */
export const requestOptions = (fetch: Fetch) => ({
  [customFetch]: (url: string, { body, ...init }: CustomFetchOptions<'GET' | 'POST', Body>) =>
    fetch(url, body === undefined ? init : { ...init, body }),
  [allowInsecureRequests]: true,
});

/**
 * Fetches the metadata of a provider (OpenID Connect Discovery 1.0).
 * @throws SignInFailure
 */
export async function discover(client: OidcClient, fetch: Fetch): Promise<Metadata> {
  const metadata = await discoverIssuer(client, fetch, signatureAlgorithms);
  const { authorization_endpoint, token_endpoint, userinfo_endpoint } = metadata;
  assertPresent(client.issuer, { authorization_endpoint, token_endpoint });
  for (const endpoint of [authorization_endpoint, token_endpoint, userinfo_endpoint])
    if (endpoint) allowedUrl(endpoint, client);
  return metadata as Metadata;
}

/**
 * Fetches the metadata of an issuer. An issuer that signs nobody in, such as GitHub Actions, has no endpoints but its keys.
 * @param algorithms accepted signatures
 * @throws SignInFailure
 */
export async function discoverIssuer(
  { issuer, allowsPrivate }: Guarded & { issuer: string },
  fetch: Fetch,
  algorithms: readonly string[],
): Promise<IssuerMetadata> {
  const url = new URL(issuer);
  const metadata = await fetched(url, fetch);
  const { jwks_uri } = metadata;
  assertPresent(issuer, { jwks_uri });
  allowedUrl(jwks_uri ?? '', { allowsPrivate });
  const supported = metadata.id_token_signing_alg_values_supported ?? ['RS256'];
  const accepted = supported.filter((one) => algorithms.includes(one));
  if (accepted.length === 0)
    throw new SignInFailure(
      'unreachable',
      `${url.host} signs with ${supported.join(', ').slice(0, 100)}, and one of ${algorithms.join(', ')} is needed.`,
    );
  return { ...metadata, id_token_signing_alg_values_supported: accepted } as IssuerMetadata;
}

/** @throws SignInFailure */
function assertPresent(issuer: string, fields: Record<string, string | undefined>): void {
  const missing = Object.entries(fields).find(([, value]) => !value);
  if (!missing) return;
  throw new SignInFailure('unreachable', `The metadata of ${new URL(issuer).host} has no "${missing[0]}".`);
}

async function fetched(url: URL, fetch: Fetch): Promise<AuthorizationServer> {
  const response = await discoveryRequest(url, requestOptions(fetch));
  if (response.status !== 200) {
    const words = `answered with ${response.status} at /.well-known/openid-configuration`;
    throw new SignInFailure('unreachable', `${url.host} ${words}: check the issuer.`);
  }
  try {
    return await processDiscoveryResponse(url, response);
  } catch (cause) {
    const words = 'does not have this issuer in its metadata, or no metadata in JSON';
    throw new SignInFailure('unreachable', `${url.host} ${words}.`, { cause });
  }
}
