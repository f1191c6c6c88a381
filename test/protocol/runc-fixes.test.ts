import { expect, test } from 'vitest';
import { hasRuncFixes, runcVersionOf } from '../../protocol/runc-fixes.ts';

/** Versions: runc's releases, and packages of Debian and Ubuntu. */
test.each([
  ['1.0.0-rc93', false],
  ['1.1.5+ds1-1+deb12u1', false],
  ['1.1.15+ds1', false],
  ['1.2.7', false],
  ['1.2.8', true],
  ['1.2.9+ds1', true],
  ['1.3.2', false],
  ['1.3.3-rc.1', false],
  ['1.3.3', true],
  ['1.3.3 (v1.3.3-0-gd842d771)', true],
  ['1.3.3-0ubuntu1~24.04.2', true],
  ['1.4.0-rc.1', false],
  ['1.4.0', true],
  ['1.10.0', true],
  ['2.0.0', true],
  ['unknown', false],
  ['', false],
])('runc %s has the fixes of November 2025: %s', (version, has) => {
  expect(hasRuncFixes(version)).toBe(has);
});

test.each([
  ['1.1.5+ds1', '1.1.5+ds1-1+deb12u1', '1.1.5+ds1-1+deb12u1'],
  ['1.3.3', 'v1.3.3-0-gd842d771', '1.3.3 (v1.3.3-0-gd842d771)'],
  ['1.3.3-0ubuntu1~24.04.2', '', '1.3.3-0ubuntu1~24.04.2'],
])('runc %s of the build "%s" is distinguished from other builds as %s', (Version, GitCommit, expected) => {
  const components = [
    { Name: 'containerd', Version: '1.7.24' },
    { Name: 'runc', Version, Details: { GitCommit } },
  ];
  expect(runcVersionOf(components)).toBe(expected);
});

test.each([[[{ Name: 'crun', Version: '1.21' }]], [[{ Name: 'runc', Version: '' }]], [[]], [null]])(
  'the components %j name no version of runc',
  (components) => expect(runcVersionOf(components)).toBeNull(),
);
