import { authorizationCodeGrantRequest, validateAuthResponse } from 'oauth4webapi';
import { z } from 'zod';
import { discover, type Metadata, requestOptions } from './discover.ts';
import { authenticationOf } from './exchange-code.ts';
import { type Fetch, SignInFailure } from './guarded-fetch.ts';
import type { OidcClient } from './oidc-client.ts';

/** A test of a provider, and the field that is wrong if the test failed. */
export interface ProviderCheck {
  field: 'issuer' | 'clientId' | 'clientSecret';
  ok: boolean;
  detail: string;
}

const keysSchema = z.object({ keys: z.array(z.object({ kty: z.string() })).min(1) });

/** Tests the metadata, the keys, and the client's credentials, with a code that no provider knows. */
export async function checkProvider(
  client: OidcClient,
  redirectUri: string,
  fetch: Fetch,
): Promise<ProviderCheck[]> {
  try {
    const metadata = await discover(client, fetch);
    const found: ProviderCheck = {
      ...{ field: 'issuer', ok: true },
      detail: `Its metadata leads to ${new URL(metadata.authorization_endpoint).host}.`,
    };
    return [
      found,
      await checkKeys(metadata.jwks_uri, fetch),
      await checkClient(client, metadata, redirectUri, fetch),
    ];
  } catch (error) {
    return [{ field: 'issuer', ok: false, detail: wordsOf(error) }];
  }
}

/** Tests whether the keys can be fetched. */
export async function checkKeys(url: string, fetch: Fetch): Promise<ProviderCheck> {
  try {
    const response = await fetch(url, { headers: { accept: 'application/json' } });
    const parsed = keysSchema.safeParse(await response.json().catch(() => null));
    const count = parsed.success ? parsed.data.keys.length : 0;
    const detail =
      count > 0 ? `It has ${count} keys at ${url}.` : `There are no keys at ${url} (${response.status}).`;
    return { field: 'issuer', ok: count > 0, detail };
  } catch (error) {
    return { field: 'issuer', ok: false, detail: wordsOf(error) };
  }
}

/** A provider checks the client before the code (RFC 6749, section 5.2). */
async function checkClient(
  client: OidcClient,
  metadata: Metadata,
  redirectUri: string,
  fetch: Fetch,
): Promise<ProviderCheck> {
  const field = client.clientSecret === null ? 'clientId' : 'clientSecret';
  const oauthClient = { client_id: client.clientId };
  const parameters = new URLSearchParams({ code: 'longshore-test', state: 'test', iss: metadata.issuer });
  try {
    const response = await authorizationCodeGrantRequest(
      metadata,
      oauthClient,
      authenticationOf(client, metadata),
      validateAuthResponse(metadata, oauthClient, parameters, 'test'),
      redirectUri,
      'longshore-test-longshore-test-longshore-test',
      requestOptions(fetch),
    );
    const { error } = z
      .object({ error: z.string() })
      .catch({ error: '' })
      .parse(await response.json());
    if (error === 'invalid_grant') return { field, ok: true, detail: 'It knows this client.' };
    const words = error === '' ? `an answer ${response.status} without an error` : error;
    return { field, ok: false, detail: `It refuses this client: ${words.slice(0, 100)}.` };
  } catch (error) {
    return { field, ok: false, detail: wordsOf(error) };
  }
}

const wordsOf = (error: unknown): string =>
  error instanceof SignInFailure ? error.message : 'Its answer can not be read.';
