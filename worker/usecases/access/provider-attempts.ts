/** An attempt at an identity provider, from its start to its end in one page: to sign in, or to add the account to a member. */
import { z } from 'zod';
import {
  callbackPathOf,
  type IdentityProviderKind,
  type ProvenIdentity,
} from '../../domain/access/identity-providers.ts';
import { memberEmailSchema } from '../../domain/access/members.ts';
import { ApiError } from '../../domain/errors.ts';
import { nameSchema } from '../../domain/values/name.ts';
import { SignInFailure } from '../../gateways/identity/guarded-fetch.ts';
import type { Claims } from '../../gateways/identity/oidc-client.ts';
import {
  type IdentityProviderRow,
  selectIdentityProvider,
} from '../../store/access/identity-provider-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { attemptEnd, endAttempt, notHere, openAttempt, randomSecret, sealAttempt } from './attempts.ts';
import { clientOf } from './change-providers.ts';

const attemptSchema = z.object({
  id: z.string(),
  providerId: z.string(),
  state: z.string(),
  nonce: z.string(),
  codeVerifier: z.string(),
  redirectUri: z.string(),
  expiresAt: z.number(),
  /** The member and session that start it; empty for a sign-in. */
  starter: z.string().default(''),
});

/** The purpose. Attempts for one purpose can't be finished for another. */
export type AttemptUse = 'oidc' | 'oidc-link';

/** The browser's part: `sealed` in a cookie, `proof` and `state` in the storage of its page. */
export interface StartedAttempt {
  location: string;
  sealed: string;
  state: string;
  proof: string;
}

/** The cookie, the proof, and the path and query of the provider's redirect. */
export interface PresentedAttempt {
  sealed: string;
  proof: string;
  callback: string;
  response: string;
}

/** An account that a provider has proven, usable once. */
export interface ProvenAccount {
  provider: IdentityProviderRow;
  identity: ProvenIdentity;
}

/**
 * @param origin origin of this instance in the browser
 * @throws ApiError `provider_refused` if the provider can't be reached
 */
export async function startAttempt(
  deps: Dependencies,
  provider: IdentityProviderRow,
  { use, starter, origin }: { use: AttemptUse; starter: string; origin: string },
): Promise<StartedAttempt> {
  const redirectUri = origin + callbackPathOf(provider);
  const attempt = {
    ...{ id: randomSecret(deps), providerId: provider.id, redirectUri, expiresAt: attemptEnd(deps), starter },
    ...{ state: randomSecret(deps), nonce: randomSecret(deps), codeVerifier: randomSecret(deps) },
  };
  const client = await clientOf(deps, provider);
  const location = await orRefused(provider, () => deps.identityServers.authorizationUrl(client, attempt));
  const sealed = await sealAttempt(deps, use, attempt);
  return { location, sealed, state: attempt.state, proof: await deps.fingerprint('sign-in', attempt.id) };
}

/**
 * Ends an attempt, with any answer of the provider: the provider can't be asked twice.
 * @param permitted throws if another caller started it: nothing is sent to the provider then
 * @throws ApiError `unauthenticated` if a presented part does not match, or it was finished before
 */
export async function finishAttempt(
  deps: Dependencies,
  use: AttemptUse,
  presented: PresentedAttempt,
  permitted: (starter: string) => void,
): Promise<ProvenAccount> {
  const attempt = await openAttempt(deps, use, presented.sealed, attemptSchema);
  if (!(await deps.isFingerprint('sign-in', attempt.id, presented.proof))) throw notHere();
  permitted(attempt.starter);
  const parameters = new URLSearchParams(presented.response);
  if (parameters.get('state') !== attempt.state) throw notHere();
  // The answer is from another provider than the attempt's: the code must not be sent to the attempt's provider.
  if (presented.callback !== new URL(attempt.redirectUri).pathname) throw notHere();
  const provider = await usableProvider(deps, attempt.providerId, 'oidc');
  const client = await clientOf(deps, provider);
  await endAttempt(deps, attempt);
  const claims = await orRefused(provider, () => deps.identityServers.claims(client, attempt, parameters));
  const isVerified = provider.trustsEmail || claims.email_verified === true;
  return { provider, identity: identityOf(claims, isVerified) };
}

/**
 * The account in the header of Cloudflare Access. The header can be used repeatedly while it is valid, because its bearer is signed in at Access.
 * @throws ApiError `unauthenticated`, `forbidden`
 */
export async function provenByAccess(
  deps: Dependencies,
  provider: IdentityProviderRow,
  token: string,
): Promise<ProvenAccount> {
  const { issuer, clientId: audience, allowsPrivate } = await clientOf(deps, provider);
  const claims = await orRefused(provider, () =>
    deps.identityServers.accessClaims({ issuer, audience, allowsPrivate }, token),
  );
  // Service tokens have no subject: they belong to programs, which use keys.
  if (!claims.sub || typeof claims.email !== 'string')
    throw new ApiError('forbidden', 'Cloudflare Access names no person: service tokens can not sign in.');
  return { provider, identity: identityOf(claims, true) };
}

/** @param tenantId the tenant whose members sign in there; undefined for any tenant. @throws ApiError `not_found` */
export async function usableProvider(
  { db }: Dependencies,
  providerId: string,
  kind: IdentityProviderKind,
  tenantId?: string,
): Promise<IdentityProviderRow> {
  const [row] = await selectIdentityProvider(db, providerId);
  const isOfTenant = tenantId === undefined || row?.provider.tenantId === tenantId;
  if (isOfTenant && row?.provider.enabled && row.provider.kind === kind) return row.provider;
  throw noProvider();
}

export const noProvider = () =>
  new ApiError(
    'not_found',
    'This identity provider does not exist or is disabled: choose another way to sign in.',
  );

/** "It MUST NOT exceed 255 ASCII characters in length" (OpenID Connect Core 1.0, section 2). An empty subject would be the same for everybody. */
const subjectPattern = /^.{1,255}$/su;

/** @throws ApiError `forbidden` for a subject that does not identify a single person */
function identityOf(claims: Claims, isVerified: boolean): ProvenIdentity {
  if (typeof claims.sub !== 'string' || !subjectPattern.test(claims.sub) || claims.sub.trim() === '')
    throw new ApiError('forbidden', 'The provider names no person: its "sub" must have 1 to 255 characters.');
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
