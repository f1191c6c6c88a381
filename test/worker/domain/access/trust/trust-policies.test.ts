/** Which rules a trust policy may have. */
import { expect, test } from 'vitest';
import { providerOf } from '../../../../../worker/domain/access/trust/ci-providers.ts';
import {
  assertTrustRules,
  checkedTrustIssuer,
  newTrustPolicySchema,
} from '../../../../../worker/domain/access/trust/trust-policies.ts';

const other = { provider: 'other', issuer: 'https://ci.example.com', repository: null, branches: [] };
const forgejo = { provider: 'forgejo', issuer: 'https://codeberg.org/api/actions' };

function check(fields: object) {
  const body = newTrustPolicySchema.parse({
    ...{ provider: 'github', repository: 'octo-org/shop', branches: ['main'] },
    ...fields,
  });
  const issuer = checkedTrustIssuer(body.provider, body.issuer, false);
  const events = body.events ?? [...providerOf[body.provider].events];
  assertTrustRules({ ...body, issuer, audience: 'x', events });
  return { ...body, issuer, events };
}

test.each<[object, string]>([
  [{ branches: [] }, 'branches'],
  [{ events: [] }, 'events'],
  [{ repository: null }, 'repository'],
  [{ subject: 'x' }, 'subject'],
  [{ ...forgejo, environment: 'production' }, 'environment'],
  [{ ...forgejo, repositoryId: '1' }, 'repositoryId'],
  [{ ...forgejo, ownerId: '1' }, 'ownerId'],
  [{ provider: 'forgejo' }, 'issuer'],
  [{ provider: 'forgejo', issuer: 'https://codeberg.org' }, 'issuer'],
  [{ ...other }, 'subject'],
  [{ ...other, subject: '**' }, 'subject'],
  [{ ...other, subject: 'x', branches: ['main'] }, 'branches'],
  [{ ...other, subject: 'x', events: ['push'] }, 'events'],
  [{ ...other, subject: 'x', repository: 'octo-org/shop' }, 'repository'],
  [{ ...other, subject: 'x', environment: 'production' }, 'environment'],
  [{ ...other, subject: 'x', issuer: undefined }, 'issuer'],
])('%j is refused, and the error names the field "%s"', (fields, field) => {
  expect(() => check(fields)).toThrow(`The field "${field}"`);
});

test.each<[object]>([
  [{ repository: 'shop' }],
  [{ repository: 'https://github.com/octo-org/shop' }],
  [{ repository: 'octo-org/*' }],
  [{ branches: [''] }],
  [{ branches: ['a b'] }],
  [{ branches: Array.from({ length: 21 }, String) }],
  [{ access: 'destroy' }],
  [{ expiresInMinutes: 4 }],
  [{ expiresInMinutes: 61 }],
  [{ audience: '' }],
  [{ events: ['Push'] }],
  [{ provider: 'bitbucket' }],
])('%j does not fit the schema', (fields) => {
  const body = { provider: 'github', repository: 'octo-org/shop', branches: ['main'], ...fields };
  expect(newTrustPolicySchema.safeParse(body).success).toBe(false);
});

test('defaults are the public issuer, the level deploy, half an hour, and events that need write access', () => {
  expect(check({})).toMatchObject({
    ...{ issuer: 'https://token.actions.githubusercontent.com', access: 'deploy', expiresInMinutes: 30 },
    events: ['push', 'workflow_dispatch', 'schedule', 'release'],
  });
  expect(check({ provider: 'gitlab' })).toMatchObject({
    ...{ issuer: 'https://gitlab.com', events: ['push', 'web', 'schedule', 'api', 'trigger'] },
  });
  for (const provider of ['github', 'gitlab', 'forgejo'] as const)
    expect(
      providerOf[provider].events.filter((one) => /pull|merge|comment|issue|workflow_run/.test(one)),
    ).toEqual([]);
});

test('an environment alone is enough, and a slash after an issuer is dropped, except for another service', () => {
  expect(check({ branches: [], environment: 'production' }).environment).toBe('production');
  expect(check({ provider: 'gitlab', issuer: 'https://gitlab.example.com/' }).issuer).toBe(
    'https://gitlab.example.com',
  );
  const slash = 'https://ci.example.com/a/';
  expect(check({ ...other, subject: 'x', issuer: slash }).issuer).toBe(slash);
});
