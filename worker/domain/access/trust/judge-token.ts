/** Compares the job of a verified token with the rules of a policy. */
import type { CiJob, StandardClaims } from './ci-providers.ts';
import { matchesPattern } from './ref-pattern.ts';
import { issuerName, type TrustRules } from './trust-policies.ts';

/** A rule that a token does not fulfil. */
export interface BrokenRule {
  /** The field of the policy. */
  rule: 'audience' | 'repositoryId' | 'ownerId' | 'branches' | 'environment' | 'events';
  /** What the token has. Never the policy's own value, because the reader may be a stranger. */
  had: string;
}

/** Whether the policy is about this issuer and repository: others learn nothing about its rules. */
export function isAbout(rules: TrustRules, { iss }: Pick<StandardClaims, 'iss'>, job: CiJob): boolean {
  if (issuerName(iss) !== issuerName(rules.issuer)) return false;
  if (rules.provider === 'other') return matchesPattern(rules.subject ?? '', job.repository);
  return rules.repository?.toLowerCase() === job.repository.toLowerCase();
}

/** @returns the first rule that the job does not fulfil; undefined if it fulfils all */
export function brokenRule(rules: TrustRules, { aud }: StandardClaims, job: CiJob): BrokenRule | undefined {
  const audiences = typeof aud === 'string' ? [aud] : aud;
  if (!audiences.includes(rules.audience)) return { rule: 'audience', had: listed(audiences) };
  if (rules.repositoryId !== null && rules.repositoryId !== job.repositoryId)
    return { rule: 'repositoryId', had: shown(job.repositoryId) };
  if (rules.ownerId !== null && rules.ownerId !== job.ownerId)
    return { rule: 'ownerId', had: shown(job.ownerId) };
  if (rules.provider === 'other') return undefined;
  if (!rules.events.includes(job.event ?? '')) return { rule: 'events', had: shown(job.event) };
  if (!isTrustedRef(rules, job.ref ?? '')) return { rule: 'branches', had: shown(job.ref) };
  if (rules.environment !== null && rules.environment !== job.environment)
    return { rule: 'environment', had: shown(job.environment) };
  return undefined;
}

const kinds = { branches: 'refs/heads/', tags: 'refs/tags/' } as const;

/** Without branches and tags, the environment alone decides, for any branch or tag. Refs of other kinds, such as pull requests, are never trusted. */
function isTrustedRef(rules: TrustRules, ref: string): boolean {
  const isAny = rules.branches.length + rules.tags.length === 0;
  return (['branches', 'tags'] as const).some((kind) => {
    if (!ref.startsWith(kinds[kind])) return false;
    const name = ref.slice(kinds[kind].length);
    return isAny || rules[kind].some((pattern) => matchesPattern(pattern, name));
  });
}

const shown = (value: string | null) => (value === null ? 'none' : JSON.stringify(value));
const listed = (values: readonly string[]) =>
  values.length === 0 ? 'none' : values.slice(0, 3).map(shown).join(', ');

const fields: Readonly<Record<BrokenRule['rule'], string>> = {
  audience: 'the audience',
  repositoryId: 'the id of the repository',
  ownerId: 'the id of the owner',
  branches: 'the branch or tag',
  environment: 'the environment',
  events: 'the event',
};

/** "does not trust the branch or tag: the token has "refs/heads/dev" (field "branches")" */
export const brokenRuleText = ({ rule, had }: BrokenRule): string =>
  `does not trust ${fields[rule]} of the token, which is ${had} (field "${rule}")`;
