import { expect, test } from 'vitest';
import { hostWarning } from '../../../../worker/domain/hosts/host-warning.ts';
import { testFacts } from '../../../support/worker/api.ts';

const host = { shared: true, trustedRunc: null, facts: testFacts, clockAheadMs: 0, copied: false };

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

test.each([
  [600_000, '10 minutes ahead'],
  [-600_000, '10 minutes behind'],
  [45_000, '1 minute ahead'],
])('a clock that is %i ms ahead is a warning', (clockAheadMs, amount) => {
  expect(hostWarning({ ...host, clockAheadMs })).toContain(`The clock of this host is ${amount},`);
});

test.each([null, 29_000, -29_000])('a clock that is %s ms ahead is none', (clockAheadMs) => {
  expect(hostWarning({ ...host, clockAheadMs })).toBeNull();
});

test('a host whose containers run without the AppArmor profile that Docker claims has a warning that says what to install', () => {
  expect(hostWarning({ ...host, facts: { ...testFacts, appArmor: false } })).toContain(
    'install the package apparmor',
  );
});

test.each([true, null])('a host that reports appArmor: %s has no warning', (appArmor) => {
  expect(hostWarning({ ...host, facts: { ...testFacts, appArmor } })).toBeNull();
});
