/** Trust policies of a project: create, change, delete. Their keys end with each change. */
import { providerOf } from '../../domain/access/trust/ci-providers.ts';
import {
  assertTrustRules,
  checkedTrustIssuer,
  type NewTrustPolicy,
  type TrustPolicyPatch,
  trustPoliciesMax,
} from '../../domain/access/trust/trust-policies.ts';
import { ApiError, absent } from '../../domain/errors.ts';
import type { Settings } from '../../domain/instance/settings.ts';
import { defaultTenantId } from '../../domain/tenants/tenant-limits.ts';
import { issueToken } from '../../security/api-token.ts';
import {
  insertTrustPolicy,
  type TrustPolicyView,
  updateTrustPolicy,
} from '../../store/access/trust-policy-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { readSettings } from '../instance/change-settings.ts';
import { newKeyRow } from './api-keys.ts';

interface Owner {
  id: string;
  tenantId: string;
}

/** Whether plain http and private addresses of issuers are allowed: the operator's setting holds for the operator's own tenant only. */
export const allowsPrivateIssuers = (
  tenantId: string,
  { allowPrivateSignInProviders }: Pick<Settings, 'allowPrivateSignInProviders'>,
): boolean => allowPrivateSignInProviders && tenantId === defaultTenantId;

/**
 * @param origin address of this instance in the request: the default audience
 * @throws ApiError `invalid_request`; `quota_exceeded`
 */
export async function createTrustPolicy(
  deps: Dependencies,
  project: Owner,
  wanted: NewTrustPolicy,
  origin: string,
): Promise<TrustPolicyView> {
  const { db, newId, now, fillRandom, cell, initiator } = deps;
  const { issuer: given, access, audience = origin, events, ...rules } = wanted;
  const allowsPrivate = allowsPrivateIssuers(project.tenantId, await readSettings(deps));
  const policy = {
    ...rules,
    issuer: checkedTrustIssuer(wanted.provider, given, allowsPrivate),
    audience,
    events: events ?? [...providerOf[wanted.provider].events],
    ...{ id: newId('trustPolicy'), projectId: project.id },
    ...{ createdBy: initiator, createdAt: now(), updatedAt: now() },
  };
  assertTrustRules(policy);
  // Nobody gets this token: the row only makes keys.
  const { record } = await issueToken(fillRandom, cell);
  const key = newKeyRow({
    ...{ id: policy.id, tenantId: project.tenantId, name: nameOfPolicy(policy), access, ...record },
    ...{
      kind: 'trust-policy',
      allProjects: false,
      madeBy: null,
      createdAt: policy.createdAt,
      expiresAt: null,
    },
  });
  if (!(await insertTrustPolicy(db, key, policy)))
    throw new ApiError(
      'quota_exceeded',
      `A project has at most ${trustPoliciesMax} trust policies: delete one.`,
    );
  return { policy, access, lastUsedAt: null };
}

/** The name by which its keys show a policy. */
export const nameOfPolicy = ({
  provider,
  repository,
  subject,
}: Pick<NewTrustPolicy, 'provider' | 'repository' | 'subject'>) =>
  `${provider} ${repository ?? subject}`.slice(0, 100);

/** Changes the given fields and ends the keys of the policy. @throws ApiError `invalid_request`; `not_found` if it was deleted */
export async function changeTrustPolicy(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  { policy, access, lastUsedAt }: TrustPolicyView,
  patch: TrustPolicyPatch,
): Promise<TrustPolicyView> {
  const { access: level = access, ...changes } = Object.fromEntries(
    Object.entries(patch).filter(([, value]) => value !== undefined),
  ) as TrustPolicyPatch;
  assertTrustRules({ ...policy, ...changes } as typeof policy);
  // Rules that were checked before the change must not apply after it, even in the same millisecond.
  const changedAt = Math.max(now(), policy.updatedAt + 1);
  const row = await updateTrustPolicy(db, policy.id, changes as Partial<typeof policy>, level, changedAt);
  if (!row) throw absent('trustPolicy');
  return { policy: row, access: level, lastUsedAt };
}
