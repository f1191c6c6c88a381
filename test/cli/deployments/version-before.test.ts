import { expect, test } from 'vitest';
import { versionBefore } from '../../../cli/deployments/version-before.ts';
import type { Deployment } from '../../../client/client.ts';

/** Newest first: `id status trigger`. */
const list = (...lines: string[]) =>
  lines.map((line) => {
    const [id, status, trigger] = line.split(' ');
    return { id, status, trigger } as Deployment;
  });

test.each([
  ['the version before', list('c running manual', 'b superseded manual', 'a superseded manual'), 'b'],
  ['a failed deployment is skipped', list('c running manual', 'b failed manual', 'a superseded manual'), 'a'],
  ['a restart is no version', list('c running restart', 'b superseded manual', 'a superseded manual'), 'a'],
  [
    'restarts in a row are none',
    list('d running restart', 'c superseded restart', 'b superseded webhook', 'a superseded manual'),
    'a',
  ],
  ['a rollback is one', list('c running rollback', 'b superseded manual', 'a superseded manual'), 'b'],
  [
    'a deployment that builds is not live yet',
    list('c building manual', 'b running manual', 'a superseded manual'),
    'a',
  ],
  ['nothing was before a restart of the first', list('b running restart', 'a superseded manual'), undefined],
  ['nothing runs', list('b failed manual', 'a superseded manual'), 'a'],
  ['nothing was deployed', list(), undefined],
])('a rollback without a name finds what was before: %s', (_, deployments, id) => {
  expect(versionBefore(deployments)).toBe(id);
});
