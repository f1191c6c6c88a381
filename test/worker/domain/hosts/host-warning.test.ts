import { expect, test } from 'vitest';
import { hostWarning } from '../../../../worker/domain/hosts/host-warning.ts';
import { testFacts } from '../../../support/worker/api.ts';

const host = { shared: true, trustedRunc: null, facts: testFacts };

test('a host whose Docker has no init process has a warning that says what to install, a shared one beside its flaws', () => {
  const without = { ...host, facts: { ...testFacts, initProcess: false } };
  expect(hostWarning(without)).toContain('initProcess is false');
  const flawed = { ...without, facts: { ...without.facts, buildFixes: false } };
  expect(hostWarning(flawed)).toMatch(/^The host is shared.*buildFixes is false.*initProcess is false/);
});

test.each([true, null, undefined])('a host that reports initProcess: %s has no warning', (initProcess) => {
  const { initProcess: _, ...old } = testFacts;
  const facts = initProcess === undefined ? old : { ...testFacts, initProcess };
  expect(hostWarning({ ...host, facts })).toBeNull();
});
