/** Sign-ins at an identity provider: start, finish, and the sign-in by one click behind Cloudflare Access. */
import type { Dependencies } from '../dependencies.ts';
import { signInIdentity } from './member-of-identity.ts';
import {
  finishAttempt,
  type PresentedAttempt,
  provenByAccess,
  type StartedAttempt,
  startAttempt,
  usableProvider,
} from './provider-attempts.ts';
import type { SignInCode } from './sign-in-member.ts';

const nobody = '';

/**
 * @param origin origin of this instance in the browser
 * @throws ApiError `not_found` for an unknown provider; `provider_refused` if it can't be reached
 */
export async function startSignIn(
  deps: Dependencies,
  providerId: string,
  origin: string,
): Promise<StartedAttempt> {
  const provider = await usableProvider(deps, providerId, 'oidc');
  return startAttempt(deps, provider, { use: 'oidc', starter: nobody, origin });
}

/**
 * Finishes the attempt of `startSignIn` in the same page.
 * @throws ApiError `unauthenticated` if a presented part does not match; `forbidden` if the person is no member
 */
export async function finishSignIn(deps: Dependencies, presented: PresentedAttempt): Promise<SignInCode> {
  const { provider, identity } = await finishAttempt(deps, 'oidc', presented, () => undefined);
  return signInIdentity(deps, provider, identity);
}

/**
 * Signs in with the header that Cloudflare Access adds.
 * @throws ApiError as finishSignIn
 */
export async function signInByAccess(
  deps: Dependencies,
  providerId: string,
  token: string,
): Promise<SignInCode> {
  const named = await usableProvider(deps, providerId, 'cloudflare-access');
  const { provider, identity } = await provenByAccess(deps, named, token);
  return signInIdentity(deps, provider, identity);
}
