/** What the editor of a trust policy sends. */
import { expect, test } from 'vitest';
import { changedRules, draftOf, newPolicy } from '../../dashboard/pages/project/ci/policy-draft.ts';
import type { TrustPolicy } from '../../dashboard/pages/project/ci/trust-policy.ts';

const typed = {
  ...draftOf(undefined),
  ...{ repository: ' octo-org/shop ', subject: 'job:*', branches: 'main, release/*\n', environment: 'live' },
  ...{ repositoryId: '1', expiresInMinutes: '15' },
};
const shared = { access: 'deploy', expiresInMinutes: 15 };
const place = { repository: 'octo-org/shop', branches: ['main', 'release/*'], tags: [] };

test('a new policy has the fields of its provider only, and empty ones are left to the server', () => {
  const atGitHub = { ...shared, ...place, environment: 'live', repositoryId: '1', ownerId: null };
  expect(newPolicy(typed)).toEqual({ ...atGitHub, provider: 'github' });
  const forgejo = newPolicy({
    ...typed,
    provider: 'forgejo',
    issuer: 'https://a/api/actions',
    events: 'push',
  });
  expect(forgejo).toEqual({
    ...{ ...shared, ...place, provider: 'forgejo', issuer: 'https://a/api/actions', events: ['push'] },
  });
  const other = newPolicy({ ...typed, provider: 'other', issuer: 'https://a', audience: 'b' });
  expect(other).toEqual({
    ...shared,
    provider: 'other',
    issuer: 'https://a',
    audience: 'b',
    subject: 'job:*',
  });
});

test('a change sends only what was changed, so that ids which a job has set meanwhile stay', () => {
  const policy = {
    ...{ ...place, provider: 'github', subject: null, audience: 'https://a', environment: null },
    ...{ repositoryId: null, ownerId: null, events: ['push'], access: 'deploy', expiresInMinutes: 30 },
  } as unknown as TrustPolicy;
  const draft = draftOf(policy);
  expect(changedRules(draft, policy)).toEqual({});
  expect(changedRules({ ...draft, tags: 'v*', audience: '', expiresInMinutes: '5' }, policy)).toEqual({
    ...{ tags: ['v*'], expiresInMinutes: 5 },
  });
});
