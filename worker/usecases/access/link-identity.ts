/**
 * A member with a session adds an account at a provider, and can sign in with it after that. The attempt belongs to the member and the
 * session that started it. Its failures are not answered with 401, because the caller's session is valid.
 */

import { isOfDomains } from '../../domain/access/identity-providers.ts';
import { ApiError } from '../../domain/errors.ts';
import { type IdentityRow, linkIdentity, readIdentityOwner } from '../../store/access/identity-store.ts';
import { otherIdentityColumn } from '../../store/access/sign-in-store.ts';
import { violates } from '../../store/sql/store-failure.ts';
import type { Dependencies } from '../dependencies.ts';
import {
  finishAttempt,
  noProvider,
  type PresentedAttempt,
  type ProvenAccount,
  provenByAccess,
  type StartedAttempt,
  startAttempt,
  usableProvider,
} from './provider-attempts.ts';

/** The member whose session calls. */
export interface Linker {
  memberId: string;
  tenantId: string;
  sessionId: string;
}

const starterOf = ({ memberId, sessionId }: Linker) => `${memberId} ${sessionId}`;

/**
 * @param origin origin of this instance in the browser
 * @throws ApiError `not_found` for a provider of another tenant; `provider_refused` if it can't be reached
 */
export async function startLinking(
  deps: Dependencies,
  linker: Linker,
  providerId: string,
  origin: string,
): Promise<StartedAttempt> {
  const provider = await usableProvider(deps, providerId, 'oidc', linker.tenantId);
  return startAttempt(deps, provider, { use: 'oidc-link', starter: starterOf(linker), origin });
}

/**
 * Finishes the attempt of `startLinking` in the same page and session.
 * @throws ApiError `conflict` if a presented part does not match, or the account can't be added; `forbidden`
 */
export function finishLinking(
  deps: Dependencies,
  linker: Linker,
  presented: PresentedAttempt,
): Promise<IdentityRow> {
  return inSession(async () => {
    const proven = await finishAttempt(deps, 'oidc-link', presented, (starter) => {
      if (starter !== starterOf(linker)) throw ofOtherSession();
    });
    return link(deps, linker, proven);
  });
}

/** Adds the account that signed in at Cloudflare Access. @throws ApiError as finishLinking */
export async function linkByAccess(
  deps: Dependencies,
  linker: Linker,
  providerId: string,
  token: string,
): Promise<IdentityRow> {
  const provider = await usableProvider(deps, providerId, 'cloudflare-access', linker.tenantId);
  return inSession(async () => link(deps, linker, await provenByAccess(deps, provider, token)));
}

async function link(
  deps: Dependencies,
  { memberId, tenantId, sessionId }: Linker,
  { provider, identity: { subject, verifiedEmail } }: ProvenAccount,
): Promise<IdentityRow> {
  // A provider with the same id may have been connected for another tenant since.
  if (provider.tenantId !== tenantId) throw noProvider();
  const { id: providerId, issuer, name, emailDomains } = provider;
  if (emailDomains.length > 0 && !(verifiedEmail !== null && isOfDomains(verifiedEmail, emailDomains)))
    throw ofOtherDomain(name);
  const at = deps.now();
  const identity = {
    ...{ id: deps.newId('identity'), providerId, issuer, subject, memberId },
    ...{ createdAt: at, lastUsedAt: at, removedAt: null, linkedBy: null },
  };
  try {
    const linked = await linkIdentity(deps.db, identity, sessionId);
    if (linked) return linked;
  } catch (error) {
    if (violates(error, 'UNIQUE', otherIdentityColumn)) throw otherAccount(name);
    throw error;
  }
  const ownerId = await readIdentityOwner(deps.db, identity);
  if (ownerId === null) throw sessionEnded();
  throw ownerId === memberId ? linkedAlready(name) : ofOtherMember(name);
}

/** Errors that end the session of a page that signs in must not end the session of a signed-in page. */
async function inSession<Result>(finish: () => Promise<Result>): Promise<Result> {
  try {
    return await finish();
  } catch (error) {
    if (error instanceof ApiError && error.code === 'unauthenticated')
      throw new ApiError('conflict', error.message, { cause: error });
    throw error;
  }
}

const ofOtherSession = () =>
  new ApiError(
    'conflict',
    'This was started by another member or in another session: start again in this one.',
  );
const ofOtherMember = (name: string) =>
  new ApiError(
    'conflict',
    `Your account at ${name} belongs to another member here: sign in there with another account, or remove it from that member first.`,
  );
const linkedAlready = (name: string) =>
  new ApiError('conflict', `You sign in with this account at ${name} already.`);
const otherAccount = (name: string) =>
  new ApiError('conflict', `You sign in with another account at ${name}: remove that one first.`);
const ofOtherDomain = (name: string) =>
  new ApiError(
    'forbidden',
    `Your account at ${name} has no verified address of its domains here: sign in there with another account.`,
  );
const sessionEnded = () => new ApiError('conflict', 'Your session has ended meanwhile: sign in again.');
