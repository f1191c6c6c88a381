/** A trust policy in the form of the editor, where each field but the choices is a text, and in the form of the API. */
import type { Routes } from '../../../../client/client.ts';
import type { TrustPolicy } from './trust-policy.ts';

type NewPolicy = Routes['POST /api/projects/:projectId/trust-policies']['body'];
type Rules = Routes['PATCH /api/trust-policies/:trustPolicyId']['body'];

export interface PolicyDraft {
  provider: TrustPolicy['provider'];
  issuer: string;
  repository: string;
  subject: string;
  audience: string;
  repositoryId: string;
  ownerId: string;
  branches: string;
  tags: string;
  environment: string;
  events: string;
  access: 'read' | 'deploy' | 'write';
  expiresInMinutes: string;
}

/** @param policy undefined: a new one */
export function draftOf(policy: TrustPolicy | undefined): PolicyDraft {
  return {
    provider: policy?.provider ?? 'github',
    issuer: policy?.issuer ?? '',
    repository: policy?.repository ?? '',
    subject: policy?.subject ?? '',
    audience: policy?.audience ?? '',
    repositoryId: policy?.repositoryId ?? '',
    ownerId: policy?.ownerId ?? '',
    branches: (policy?.branches ?? []).join('\n'),
    tags: (policy?.tags ?? []).join('\n'),
    environment: policy?.environment ?? '',
    events: (policy?.events ?? []).join('\n'),
    access: levelOf(policy),
    expiresInMinutes: String(policy?.expiresInMinutes ?? 30),
  };
}

const levelOf = (policy: TrustPolicy | undefined): PolicyDraft['access'] =>
  policy === undefined || policy.access === 'destroy' ? 'deploy' : policy.access;

/** Lists are typed with one entry per line, or with commas. */
const listOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);
const textOrNull = (text: string): string | null => text.trim() || null;

/** Fields that do not apply to the provider are left out, also if they were filled in for another one. */
export function newPolicy(draft: PolicyDraft): NewPolicy {
  const { provider, access } = draft;
  const isOther = provider === 'other';
  const issuer = draft.issuer.trim();
  const audience = draft.audience.trim();
  const events = listOf(draft.events);
  return {
    ...{ provider, access, expiresInMinutes: Number(draft.expiresInMinutes) },
    ...(issuer === '' ? {} : { issuer }),
    ...(audience === '' ? {} : { audience }),
    ...(isOther ? { subject: draft.subject.trim() } : { repository: draft.repository.trim() }),
    ...(isOther ? {} : placeOf(draft)),
    ...(isOther || events.length === 0 ? {} : { events }),
  };
}

/** Only the rules that were changed: meanwhile the first job may have set the ids. An empty audience stays what it is. */
export function changedRules(draft: PolicyDraft, policy: TrustPolicy): Rules {
  const audience = draft.audience.trim();
  const rules: Rules = {
    ...{ access: draft.access, expiresInMinutes: Number(draft.expiresInMinutes) },
    ...(audience === '' ? {} : { audience }),
    ...(draft.provider === 'other' ? {} : { ...placeOf(draft), events: listOf(draft.events) }),
  };
  const isChanged = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(policy[name as keyof Rules]);
  return Object.fromEntries(Object.entries(rules).filter(isChanged));
}

const placeOf = (draft: PolicyDraft) => ({
  ...{ branches: listOf(draft.branches), tags: listOf(draft.tags) },
  ...(draft.provider === 'forgejo'
    ? {}
    : {
        environment: textOrNull(draft.environment),
        repositoryId: textOrNull(draft.repositoryId),
        ownerId: textOrNull(draft.ownerId),
      }),
});
