/** What a trust policy is about, in words. */

import type { TrustPolicy } from './trust-policy.ts';
import { trustText } from './trust-text.ts';

type Rules = Pick<TrustPolicy, 'provider' | 'issuer' | 'branches' | 'tags' | 'environment'>;

/** The repository, or for another issuer the subject. */
export const whomOf = ({ repository, subject }: Pick<TrustPolicy, 'repository' | 'subject'>): string =>
  repository ?? subject ?? '';

/** Where its jobs must run, one rule each. */
export function rulesOf({ provider, issuer, branches, tags, environment }: Rules): string[] {
  if (provider === 'other') return [trustText.anySubject(issuer)];
  const isAny = branches.length + tags.length === 0;
  return [
    ...(isAny ? [trustText.anyBranch] : []),
    ...(branches.length > 0
      ? [branches.includes('**') ? trustText.everyBranch : trustText.branch(branches.join(', '))]
      : []),
    ...(tags.length > 0 ? [trustText.tag(tags.join(', '))] : []),
    ...(environment === null ? [] : [trustText.inEnvironment(environment)]),
  ];
}
