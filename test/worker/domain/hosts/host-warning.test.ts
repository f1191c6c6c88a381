import { expect, test } from 'vitest';
import type { RunnerFacts } from '../../../../protocol/runner-facts.ts';
import { sharingFlaws } from '../../../../worker/domain/hosts/host-sharing.ts';
import { hostWarning } from '../../../../worker/domain/hosts/host-warning.ts';
import { testFacts } from '../../../support/worker/api.ts';

const host = { shared: true, trustedRunc: null, facts: testFacts, clockAheadMs: 0, copied: false };

test('a host whose Docker has no init process has a warning that says what to install, a shared one beside its flaws', () => {
  const without = { ...host, facts: { ...testFacts, initProcess: false } };
  expect(hostWarning(without)).toContain('initProcess is false');
  const flawed = { ...without, facts: { ...without.facts, buildFixes: false } };
  expect(hostWarning(flawed)).toMatch(/^The host is shared.*buildFixes is false.*initProcess is false/);
});

test.each([true, null])('a host that reports initProcess: %s has no warning', (initProcess) => {
  expect(hostWarning({ ...host, facts: { ...testFacts, initProcess } })).toBeNull();
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

test('of a host with the facts of an older version only the version is read: it does no work, and is not shared', () => {
  const facts = { version: '0.1.9', dockerVersion: null } as RunnerFacts;
  const why =
    'Its runner has the version 0.1.9, and this control plane works with 0.2.0 and newer: upgrade the host (docs/operate/upgrades.md).';
  expect(hostWarning({ ...host, facts })).toBe(`This host does no work: ${why} Jobs wait until then.`);
  expect(sharingFlaws({ facts, trustedRunc: null })).toEqual([{ fact: 'a newer runner', sentence: why }]);
});
