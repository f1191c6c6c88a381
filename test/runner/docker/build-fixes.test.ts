import { expect, test } from 'vitest';
import { hasBuildFixes } from '../../../runner/docker/build-fixes.ts';

/** Versions: release notes of Docker Engine 24.0 and 25.0, and the packages of Debian 12 and 13 and Ubuntu 24.04. */
test.each([
  ['20.10.24+dfsg1', false],
  ['20.10.24', false],
  ['23.0.15', false],
  ['24.0.7', false],
  ['24.0.8', false],
  ['24.0.9', true],
  ['24.0.9-rc.1', false],
  ['25.0.0', false],
  ['25.0.1', false],
  ['25.0.2-rc.1', false],
  ['25.0.2', true],
  ['26.0.0', true],
  ['26.1.5+dfsg1', true],
  ['28.2.2', true],
  ['29.0.0', true],
  ['library-import', false],
  ['', false],
])('Docker %s has the fixes of its builder: %s', (version, has) => {
  expect(hasBuildFixes(version)).toBe(has);
});
