import {
  AuthorizationResponseError,
  authorizationCodeGrantRequest,
  type Client,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  clockSkew,
  clockTolerance,
  getValidatedIdTokenClaims,
  type IDToken,
  None,
  processAuthorizationCodeResponse,
  processUserInfoResponse,
  ResponseBodyError,
  userInfoRequest,
  validateAuthResponse,
} from 'oauth4webapi';
import { type Metadata, requestOptions } from './discover.ts';
import { type Fetch, SignInFailure } from './guarded-fetch.ts';
import { clockToleranceSeconds, type KeySets } from './key-sets.ts';
import type { KnownMetadata } from './known-metadata.ts';
import type { AttemptSecrets, Claims, OidcClient } from './oidc-client.ts';

export interface Exchange {
  client: OidcClient;
  secrets: AttemptSecrets;
  /** The query of the redirect from the provider. */
  parameters: URLSearchParams;
  fetch: Fetch;
  keySets: KeySets;
  metadata: KnownMetadata;
  now: number;
}

/**
 * Redeems a code for an ID token and verifies everything about it: the state and the issuer of the answer, then the token's signature,
 * issuer, audience, times and nonce. An address that is absent from the token is requested from the provider, for the same subject.
 * @throws SignInFailure
 */
export async function exchangeCode(exchange: Exchange): Promise<Claims> {
  const { client, fetch, keySets, now } = exchange;
  const metadata = await exchange.metadata.of(client, fetch);
  try {
    const { token, claims, accessToken } = await redeemed(exchange, metadata);
    const { issuer, jwks_uri: keysUrl } = metadata;
    await keySets.verify(token, { issuer, audience: client.clientId, keysUrl, now, fetch });
    if (claims.email !== undefined || !metadata.userinfo_endpoint) return claims;
    const response = await userInfoRequest(metadata, clientOf(exchange), accessToken, requestOptions(fetch));
    const info = await processUserInfoResponse(metadata, clientOf(exchange), claims.sub, response);
    const { email, email_verified } = info;
    return { ...claims, email, email_verified, name: claims.name ?? info.name };
  } catch (error) {
    throw asFailure(error);
  }
}

async function redeemed(exchange: Exchange, metadata: Metadata) {
  const { client, secrets, parameters, fetch } = exchange;
  const oauthClient = clientOf(exchange);
  const checked = validateAuthResponse(metadata, oauthClient, parameters, secrets.state);
  const response = await authorizationCodeGrantRequest(
    metadata,
    oauthClient,
    authenticationOf(client, metadata),
    checked,
    secrets.redirectUri,
    secrets.codeVerifier,
    requestOptions(fetch),
  );
  const tokens = await processAuthorizationCodeResponse(metadata, oauthClient, response, {
    expectedNonce: secrets.nonce,
    requireIdToken: true,
  });
  const claims: IDToken | undefined = getValidatedIdTokenClaims(tokens);
  if (!claims || tokens.id_token === undefined) throw new SignInFailure('refused', 'There is no ID token.');
  return { token: tokens.id_token, claims, accessToken: tokens.access_token };
}

const clientOf = ({ client, now }: Pick<Exchange, 'client' | 'now'>): Client => ({
  client_id: client.clientId,
  // The library uses its own clock.
  [clockSkew]: Math.round((now - Date.now()) / 1000),
  [clockTolerance]: clockToleranceSeconds,
});

/** The method that every provider must offer, unless its metadata says otherwise (OpenID Connect Core 1.0, section 9). */
export function authenticationOf({ clientSecret }: OidcClient, metadata: Metadata): ClientAuth {
  if (clientSecret === null) return None();
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_basic')
    ? ClientSecretBasic(clientSecret)
    : ClientSecretPost(clientSecret);
}

const wordsMax = 200;

function asFailure(error: unknown): SignInFailure {
  if (error instanceof SignInFailure) return error;
  const options = { cause: error };
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError) {
    const words = `The provider refused: ${error.error}`.slice(0, wordsMax);
    return new SignInFailure('refused', `${words}.`, options);
  }
  const words = error instanceof Error ? error.message : '';
  return new SignInFailure(
    'refused',
    `The answer of the provider is not valid: ${words.slice(0, wordsMax)}.`,
    options,
  );
}
