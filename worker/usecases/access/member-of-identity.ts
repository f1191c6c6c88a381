/**
 * The member of a proven identity. The rules, in order:
 * 1. A known identity (provider, issuer, subject) belongs to its member, whatever its present address; one that its member removed is
 * refused.
 * 2. A verified address of the provider's domains belongs to the member with this address: an invited one, or one who signs in at this
 *    provider for the first time. A member has one identity at a provider, so an address that was given to another person gives no access.
 * 3. A person with another verified address joins, if the provider lets people join and the person was not removed before.
 */

import { isOfDomains, type ProvenIdentity } from '../../domain/access/identity-providers.ts';
import { levelOfRole, membersMax } from '../../domain/access/members.ts';
import { ApiError } from '../../domain/errors.ts';
import { issueToken } from '../../security/api-token.ts';
import type { IdentityProviderRow } from '../../store/access/identity-provider-store.ts';
import { readIdentity, type SignInWrites } from '../../store/access/sign-in-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { newKeyRow } from './api-keys.ts';
import { removedMark } from './change-member.ts';
import { type SignInCode, signInMember } from './sign-in-member.ts';

/**
 * Signs in the person that a provider has identified.
 * @throws ApiError `forbidden` if the identity belongs to no member; `quota_exceeded`
 */
export async function signInIdentity(
  deps: Dependencies,
  provider: IdentityProviderRow,
  identity: ProvenIdentity,
): Promise<SignInCode> {
  const { verifiedEmail, subject } = identity;
  const isOfProvider = verifiedEmail !== null && isOfDomains(verifiedEmail, provider.emailDomains);
  const email = isOfProvider ? verifiedEmail : null;
  const mark = email === null ? '' : await removedMark(provider.tenantId, email);
  const found = await readIdentity(deps.db, provider, { subject, email, mark });
  if (found.isUnlinked) throw unlinked();
  const memberId = found.memberId ?? found.idByEmail;
  const wasRemoved = found.wasRemoved || found.isKnown;
  const joining =
    memberId === null ? await joiningMember(deps, provider, identity, { email, wasRemoved }) : undefined;
  const [id, at] = [memberId ?? joining?.member.id ?? '', deps.now()];
  const bound = {
    ...{ id: deps.newId('identity'), providerId: provider.id, issuer: provider.issuer, subject },
    ...{ memberId: id, createdAt: at, lastUsedAt: at },
  };
  return signInMember(deps, { id, tenantId: provider.tenantId }, { joining, identity: bound }, notMember);
}

async function joiningMember(
  deps: Dependencies,
  { joiningRole: role, joiningProjects, tenantId }: IdentityProviderRow,
  identity: ProvenIdentity,
  { email, wasRemoved }: { email: string | null; wasRemoved: boolean },
): Promise<NonNullable<SignInWrites['joining']>> {
  if (email === null || role === null || wasRemoved)
    throw notMember(email === null ? null : identity.verifiedEmail);
  const { record } = await issueToken(deps.fillRandom, deps.cell);
  const [id, createdAt] = [deps.newId('member'), deps.now()];
  const key = newKeyRow({
    ...{ id, kind: 'member', tenantId, name: identity.name ?? email, access: levelOfRole[role], ...record },
    ...{ allProjects: joiningProjects === null, madeBy: null, createdAt, expiresAt: null },
  });
  const member = { id, tenantId, email, role, invitedBy: null, acceptedAt: null, createdAt };
  return { member, key, projectIds: joiningProjects ?? [], membersMax };
}

const unlinked = () =>
  new ApiError(
    'forbidden',
    'Its member has removed this account here: sign in another way, and add it again in the settings.',
  );

function notMember(email: string | null = null): ApiError {
  const who =
    email === null
      ? 'Your account at the provider, whose address is not verified or not of its domains,'
      : `"${email}"`;
  return new ApiError('forbidden', `${who} is not of a member here: ask an owner to invite you.`);
}
