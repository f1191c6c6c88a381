/** Sign-ins at an identity provider: start, finish, and the one click behind Cloudflare Access. */
import { z } from 'zod';
import { ApiError } from '../../domain/errors.ts';
import {
  callbackPathOf,
  type IdentityProviderKind,
  type ProvenIdentity,
} from '../../domain/identity-providers.ts';
import { memberEmailSchema } from '../../domain/members.ts';
import { nameSchema } from '../../domain/service-fields.ts';
import { SignInFailure } from '../../gateways/identity/guarded-fetch.ts';
import type { Claims } from '../../gateways/identity/oidc-client.ts';
import { sha256Hex } from '../../security/api-token.ts';
import { type IdentityProviderRow, selectIdentityProvider } from '../../store/identity-provider-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { attemptEnd, notHere, openAttempt, randomSecret, sealAttempt } from './attempts.ts';
import { clientOf } from './change-providers.ts';
import { signInIdentity } from './member-of-identity.ts';
import type { SignInCode } from './sign-in-member.ts';

const attemptSchema = z.object({
  id: z.string(),
  providerId: z.string(),
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  redirectUri: z.string(),
  expiresAt: z.number(),
});

/** What the browser keeps: `sealed` in a cookie, `proof` and `state` in the storage of its page. */
export interface StartedSignIn {
  location: string;
  sealed: string;
  state: string;
  proof: string;
}

/**
 * @param origin of this instance, as the browser sees it
 * @throws ApiError `not_found` for an unknown provider; `provider_refused` if it can't be reached
 */
export async function startSignIn(
  deps: Dependencies,
  providerId: string,
  origin: string,
): Promise<StartedSignIn> {
  const provider = await usableProvider(deps, providerId, 'oidc');
  const redirectUri = origin + callbackPathOf(provider);
  const attempt = {
    ...{ id: randomSecret(deps), providerId, redirectUri, expiresAt: attemptEnd(deps) },
    ...{ state: randomSecret(deps), nonce: randomSecret(deps), codeVerifier: randomSecret(deps) },
  };
  const client = await clientOf(deps, provider);
  const location = await orRefused(provider, () => deps.identityServers.authorizationUrl(client, attempt));
  const sealed = await sealAttempt(deps, 'oidc', attempt);
  return { location, sealed, state: attempt.state, proof: await deps.fingerprint('sign-in', attempt.id) };
}

/**
 * Ends what `startSignIn` began in the same page.
 * @param presented the cookie, the proof, and the path and the query with which the provider sent the browser back
 * @throws ApiError `unauthenticated` if one of them does not fit; `forbidden` if the person is no member
 */
export async function finishSignIn(
  deps: Dependencies,
  presented: { sealed: string; proof: string; callback: string; response: string },
): Promise<SignInCode> {
  const attempt = await openAttempt(deps, 'oidc', presented.sealed, attemptSchema);
  if (!(await deps.isFingerprint('sign-in', attempt.id, presented.proof))) throw notHere();
  const parameters = new URLSearchParams(presented.response);
  if (parameters.get('state') !== attempt.state) throw notHere();
  // Another provider has answered than the one that was asked: its code must not be sent there.
  if (presented.callback !== new URL(attempt.redirectUri).pathname) throw notHere();
  const provider = await usableProvider(deps, attempt.providerId, 'oidc');
  const client = await clientOf(deps, provider);
  const claims = await orRefused(provider, () => deps.identityServers.claims(client, attempt, parameters));
  const isVerified = provider.trustsEmail || claims.email_verified === true;
  const proof = { id: await sha256Hex(attempt.id), expiresAt: attempt.expiresAt };
  return signInIdentity(deps, provider, identityOf(claims, isVerified), proof);
}

/**
 * Signs in by the header that Cloudflare Access adds. It can be repeated as long as it is valid: whoever has it is signed in at Access.
 * @throws ApiError as finishSignIn
 */
export async function signInByAccess(
  deps: Dependencies,
  providerId: string,
  token: string,
): Promise<SignInCode> {
  const provider = await usableProvider(deps, providerId, 'cloudflare-access');
  const { issuer, clientId: audience, allowsPrivate } = await clientOf(deps, provider);
  const claims = await orRefused(provider, () =>
    deps.identityServers.accessClaims({ issuer, audience, allowsPrivate }, token),
  );
  // Service tokens have no subject: they are programs, which use keys.
  if (!claims.sub || typeof claims.email !== 'string')
    throw new ApiError('forbidden', 'Cloudflare Access names no person: service tokens can not sign in.');
  const proof = { id: randomSecret(deps), expiresAt: deps.now() };
  return signInIdentity(deps, provider, identityOf(claims, true), proof);
}

async function usableProvider(
  { db }: Dependencies,
  providerId: string,
  kind: IdentityProviderKind,
): Promise<IdentityProviderRow> {
  const [row] = await selectIdentityProvider(db, providerId);
  if (row?.provider.enabled && row.provider.kind === kind) return row.provider;
  throw new ApiError(
    'not_found',
    'This identity provider does not exist or is disabled: choose another way to sign in.',
  );
}

function identityOf(claims: Claims, isVerified: boolean): ProvenIdentity {
  const email = memberEmailSchema.safeParse(claims.email);
  const name = nameSchema.safeParse(claims.name);
  return {
    subject: claims.sub,
    verifiedEmail: isVerified && email.success ? email.data : null,
    name: name.success ? name.data : null,
  };
}

async function orRefused<Result>({ name }: IdentityProviderRow, ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof SignInFailure)) throw error;
    const code = error.reason === 'refused' ? 'unauthenticated' : 'provider_refused';
    throw new ApiError(code, `Signing in at ${name} failed. ${error.message}`, { cause: error });
  }
}
