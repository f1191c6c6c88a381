import { expect, test } from 'vitest';
import type { RunnerFacts } from '../../../../protocol/runner-facts.ts';
import { refusalOf, sharingFlaws, sharingWarning } from '../../../../worker/domain/hosts/host-sharing.ts';
import { testFacts } from '../../../support/worker/api.ts';

const isolation = {
  firewall: 'in-place',
  firewallProblem: null,
  userNamespaces: false,
  storageLimits: false,
} as const;
const oldRunc = { ...testFacts, runcVersion: '1.1.15+ds1', runcFixes: false };

test.each<[string, RunnerFacts, string[]]>([
  ['all that is needed', testFacts, []],
  ['neither user namespaces nor disk limits, which are only recommended', { ...testFacts, isolation }, []],
  ['an old Docker', { ...testFacts, buildFixes: false, dockerVersion: '20.10.24' }, ['Docker 20.10.24']],
  [
    'a Docker that does not answer',
    { ...testFacts, buildFixes: null, dockerVersion: null },
    ['start Docker'],
  ],
  ['an old runc', oldRunc, ['runc 1.1.15+ds1 lets a program leave its container (CVE-2025-31133']],
  [
    'an old runc behind user namespaces',
    { ...oldRunc, isolation: { ...isolation, userNamespaces: true } },
    [],
  ],
  [
    'a Docker that names no runc',
    { ...testFacts, runcVersion: null, runcFixes: null },
    ['Docker names no runc'],
  ],
  [
    'no firewall',
    {
      ...testFacts,
      isolation: { ...isolation, firewall: 'missing', firewallProblem: 'nft is not installed.' },
    },
    ['isolation.firewall is "missing": nft is not installed.'],
  ],
  [
    'a system that can have no firewall',
    { ...testFacts, isolation: { ...isolation, firewall: 'unsupported' } },
    ['isolation.firewall is "unsupported"'],
  ],
])('a host with %s', (_name, facts, expected) => {
  const host = { facts, trustedRunc: null };
  const flaws = sharingFlaws(host);
  expect(flaws).toHaveLength(expected.length);
  for (const [index, { fact, sentence }] of flaws.entries()) {
    expect(sentence).toContain(expected[index]);
    expect(sentence).toContain(fact);
  }
  expect(sharingWarning({ shared: false, ...host })).toBeNull();
  expect(sharingWarning({ shared: true, ...host }) === null).toBe(flaws.length === 0);
});

test.each([
  ['the version that it reports', '1.1.15+ds1', 0],
  ['another version', '1.1.15+ds1-2', 1],
  ['no version', null, 1],
])('a host with an old runc may be shared while the operator trusts it: %s', (_name, trustedRunc, count) => {
  const flaws = sharingFlaws({ facts: oldRunc, trustedRunc });
  expect(flaws).toHaveLength(count);
  expect(
    flaws.every(({ sentence }) => sentence.includes('set "trustedRunc" of the host to "1.1.15+ds1"')),
  ).toBe(true);
});

const old = { ...testFacts, buildFixes: false };
test.each<[string, { shared: boolean; facts: RunnerFacts }, string, boolean, boolean]>([
  ['its owner, alone there, whatever it lacks', { shared: false, facts: old }, 'own', false, true],
  ['its owner, although others are there', { shared: true, facts: testFacts }, 'own', true, true],
  ['another tenant, if it is shared', { shared: true, facts: testFacts }, 'other', true, true],
  ['another tenant, if it is not shared', { shared: false, facts: testFacts }, 'other', false, false],
  ['another tenant, if it lacks something', { shared: true, facts: old }, 'other', false, false],
  ['its owner, if others are there and it lacks something', { shared: true, facts: old }, 'own', true, false],
])('a host takes something new of %s: %j', (_name, host, tenantId, isSharedWithOthers, isTaken) => {
  const refusal = refusalOf(
    { name: 'h', tenantId: 'own', trustedRunc: null, ...host },
    tenantId,
    isSharedWithOthers,
  );
  expect(refusal === null).toBe(isTaken);
  // A tenant reads what is missing, not which version makes the host attackable.
  if (refusal && host.shared) expect(refusal).toMatch(/buildFixes(?!.*\d\d\.\d)/);
});
