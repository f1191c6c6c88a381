/** Which jobs of GitHub, GitLab and Forgejo the rules of a policy allow. */
import { expect, test } from 'vitest';
import { providerOf, standardClaimsSchema } from '../../../../../worker/domain/access/trust/ci-providers.ts';
import {
  brokenRule,
  brokenRuleText,
  isAbout,
} from '../../../../../worker/domain/access/trust/judge-token.ts';
import {
  newTrustPolicySchema,
  type TrustRules,
} from '../../../../../worker/domain/access/trust/trust-policies.ts';
import { forgejoClaims, gitHubClaims, gitLabClaims } from '../../../../support/worker/servers/ci-issuer.ts';

const claimsOf = { github: gitHubClaims, gitlab: gitLabClaims, forgejo: forgejoClaims, other: gitHubClaims };
const issuer = 'https://ci.example.com';

function judge(fields: object, given: object) {
  const body = newTrustPolicySchema.parse({
    ...{ provider: 'github', repository: 'octo-org/shop', branches: ['main'] },
    ...fields,
  });
  const { provider, audience = 'https://longshore.test', events = [...providerOf[provider].events] } = body;
  const rules: TrustRules = { ...body, issuer, audience, events };
  const payload = { iss: issuer, iat: 0, exp: 300, ...claimsOf[provider]({ ...given }) };
  const claims = standardClaimsSchema.parse(payload);
  const job = providerOf[provider].job.parse(payload);
  return { isAbout: isAbout(rules, claims, job), broken: brokenRule(rules, claims, job) };
}

/** The job, the rules beside those for `main`, the claims, the field of the policy, and what the refusal names. */
const refused: [string, object, object, string, string][] = [
  [
    'the audience of another service',
    {},
    { aud: 'https://other.example' },
    'audience',
    'https://other.example',
  ],
  ['no audience of this instance', {}, { aud: ['https://a.example', 'x'] }, 'audience', 'https://a.example'],
  ['a branch that begins like it', {}, { ref: 'refs/heads/mainx' }, 'branches', 'refs/heads/mainx'],
  ['a branch in another case', {}, { ref: 'refs/heads/Main' }, 'branches', 'refs/heads/Main'],
  ['a tag of the name', {}, { ref: 'refs/tags/main' }, 'branches', 'refs/tags/main'],
  ['a branch named like a ref', {}, { ref: 'refs/heads/refs/heads/main' }, 'branches', 'refs/heads/refs'],
  [
    'a pull request',
    { events: ['pull_request'] },
    { ref: 'refs/pull/7/merge', event_name: 'pull_request' },
    'branches',
    'refs/pull/7/merge',
  ],
  ['a pull request by default', {}, { event_name: 'pull_request' }, 'events', 'pull_request'],
  [
    'pull_request_target on the trusted branch',
    {},
    { event_name: 'pull_request_target' },
    'events',
    'pull_request_target',
  ],
  ['a workflow that another one caused', {}, { event_name: 'workflow_run' }, 'events', 'workflow_run'],
  ['a comment', {}, { event_name: 'issue_comment' }, 'events', 'issue_comment'],
  ['no environment', { environment: 'production' }, {}, 'environment', 'none'],
  [
    'another environment',
    { environment: 'production' },
    { environment: 'staging' },
    'environment',
    'staging',
  ],
  [
    'a pull request in the environment',
    { branches: [], environment: 'p', events: ['pull_request'] },
    { environment: 'p', ref: 'refs/pull/7/merge', event_name: 'pull_request' },
    'branches',
    'refs/pull/7/merge',
  ],
  ['a new repository of the name', { repositoryId: '1' }, {}, 'repositoryId', '456789'],
  ['a new owner of the name', { ownerId: '1' }, {}, 'ownerId', '123456'],
];

test.each(refused)('%s is refused, with the value of the token', (_, rules, claims, field, had) => {
  const { isAbout, broken } = judge(rules, claims);
  expect([isAbout, broken?.rule]).toEqual([true, field]);
  expect(broken && brokenRuleText(broken)).toContain(had);
});

const allowed: [string, object, object][] = [
  ['the audience among several', {}, { aud: ['https://a.example', 'https://longshore.test'] }],
  ['an audience of the policy', { audience: 'longshore' }, { aud: 'longshore' }],
  ['a repository in another case', { repository: 'Octo-Org/SHOP' }, {}],
  ['a branch of a pattern', { branches: ['release/*'] }, { ref: 'refs/heads/release/1.2' }],
  ['a tag of a pattern', { branches: [], tags: ['v*'] }, { ref: 'refs/tags/v1.2.3' }],
  ['the environment', { environment: 'production' }, { environment: 'production' }],
  [
    'the environment on any branch',
    { branches: [], environment: 'p' },
    { environment: 'p', ref: 'refs/heads/x' },
  ],
  ['an event of the policy', { events: ['pull_request_target'] }, { event_name: 'pull_request_target' }],
  ['ids of the policy', { repositoryId: '456789', ownerId: '123456' }, {}],
];
test.each(allowed)('a job with %s is allowed', (_, rules, claims) => {
  expect(judge(rules, claims)).toEqual({ isAbout: true, broken: undefined });
});

const gitlab = { provider: 'gitlab', repository: 'My-Group/sub/shop' };
const forgejo = { provider: 'forgejo', repository: 'user1/testing', branches: ['master'] };
test.each<[string, object, object, string | undefined]>([
  ['a push at GitLab', gitlab, {}, undefined],
  [
    'a tag at GitLab',
    { ...gitlab, branches: [], tags: ['v*'] },
    { ref: 'v1', ref_path: 'refs/tags/v1' },
    undefined,
  ],
  [
    'a merge request at GitLab from a branch of the name',
    gitlab,
    { pipeline_source: 'merge_request_event' },
    'events',
  ],
  ['a child of a pipeline at GitLab', gitlab, { pipeline_source: 'parent_pipeline' }, 'events'],
  [
    'a merge request ref at GitLab',
    { ...gitlab, events: ['merge_request_event'] },
    { pipeline_source: 'merge_request_event', ref_path: 'refs/merge-requests/7/head' },
    'branches',
  ],
  ['another project of the name at GitLab', { ...gitlab, repositoryId: '21' }, {}, 'repositoryId'],
  ['another namespace of the name at GitLab', { ...gitlab, ownerId: '73' }, {}, 'ownerId'],
  ['the environment at GitLab', { ...gitlab, environment: 'prod' }, { environment: 'prod' }, undefined],
  ['numbers as ids at GitLab', { ...gitlab, repositoryId: '20' }, { project_id: 20 }, undefined],
  ['a push at Forgejo', forgejo, {}, undefined],
  ['a pull request at Forgejo', forgejo, { event_name: 'pull_request' }, 'events'],
  ['another branch at Forgejo', forgejo, { ref: 'refs/heads/dev' }, 'branches'],
])('%s', (_, rules, claims, field) => {
  const { isAbout, broken } = judge(rules, claims);
  expect([isAbout, broken?.rule]).toEqual([true, field]);
});

test.each([
  ['another repository', {}, { repository: 'octo-org/shop2' }],
  ['a fork', {}, { repository: 'evil/shop' }],
  ['another issuer', {}, { iss: 'https://ci.example.com.evil.example' }],
  ['the group above a project', { ...gitlab, repository: 'my-group/sub' }, {}],
  [
    'another subject',
    { provider: 'other', repository: null, subject: 'repo:octo-org/*', branches: [] },
    { sub: 'repo:octo-organisation/shop' },
  ],
])('a policy is not about %s', (_, rules, claims) => {
  expect(judge(rules, claims).isAbout).toBe(false);
});

test('a subject of another provider is compared as a pattern', () => {
  const rules = { provider: 'other', repository: null, subject: 'repo:octo-org/shop:*', branches: [] };
  expect(judge(rules, { sub: 'repo:octo-org/shop:main' })).toEqual({ isAbout: true, broken: undefined });
});
