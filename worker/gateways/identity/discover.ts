import {
  type AuthorizationServer,
  allowInsecureRequests,
  type CustomFetchOptions,
  customFetch,
  discoveryRequest,
  processDiscoveryResponse,
} from 'oauth4webapi';
import { signatureAlgorithms } from '../../domain/access/identity-providers.ts';
import { allowedUrl, type Fetch, SignInFailure } from './guarded-fetch.ts';
import type { OidcClient } from './oidc-client.ts';

/** Metadata of a provider with everything that a sign-in needs. */
export type Metadata = AuthorizationServer & {
  authorization_endpoint: string;
  token_endpoint: string;
  jwks_uri: string;
};

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
  const url = new URL(client.issuer);
  const metadata = await fetched(url, fetch);
  const { authorization_endpoint, token_endpoint, jwks_uri } = metadata;
  const missing = Object.entries({ authorization_endpoint, token_endpoint, jwks_uri }).find(
    ([, value]) => !value,
  );
  if (missing) throw new SignInFailure('unreachable', `The metadata of ${url.host} has no "${missing[0]}".`);
  for (const endpoint of [authorization_endpoint, token_endpoint, jwks_uri, metadata.userinfo_endpoint])
    if (endpoint) allowedUrl(endpoint, client);
  const supported = metadata.id_token_signing_alg_values_supported ?? ['RS256'];
  const accepted = supported.filter((one) => signatureAlgorithms.includes(one));
  if (accepted.length === 0)
    throw new SignInFailure(
      'unreachable',
      `${url.host} signs with ${supported.join(', ').slice(0, 100)}, and one of ${signatureAlgorithms.join(', ')} is needed.`,
    );
  return { ...metadata, id_token_signing_alg_values_supported: accepted } as Metadata;
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
