/** What a trust policy is about, in words. */
import { t } from '../../text/text.ts';
import type { TrustPolicy } from './trust-policy.ts';

type Rules = Pick<TrustPolicy, 'provider' | 'issuer' | 'branches' | 'tags' | 'environment'>;

/** The repository, or for another issuer the subject. */
export const whomOf = ({ repository, subject }: Pick<TrustPolicy, 'repository' | 'subject'>): string =>
  repository ?? subject ?? '';

/** Where its jobs must run, one rule each. */
export function rulesOf({ provider, issuer, branches, tags, environment }: Rules): string[] {
  if (provider === 'other') return [t.trust.anySubject(issuer)];
  const isAny = branches.length + tags.length === 0;
  return [
    ...(isAny ? [t.trust.anyBranch] : []),
    ...(branches.length > 0
      ? [branches.includes('**') ? t.trust.everyBranch : t.trust.branch(branches.join(', '))]
      : []),
    ...(tags.length > 0 ? [t.trust.tag(tags.join(', '))] : []),
    ...(environment === null ? [] : [t.trust.inEnvironment(environment)]),
  ];
}
