import { expect, test } from 'vitest';
import { obstacles, type ReleaseState } from '../../../local/package/release.ts';

const ready: ReleaseState = {
  version: '1.2.0',
  changelog:
    '# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-01-02\n\n- New.\n\n## [1.1.0] - 2026-01-01\n',
  tags: ['v1.1.0'],
  changed: [],
};

test('a committed version with its own section of the changelog can be released', () => {
  expect(obstacles(ready)).toEqual([]);
});

test.each<[string, Partial<ReleaseState>, string]>([
  ['a version without a section of the changelog', { version: '1.3.0' }, 'is not 1.3.0'],
  [
    'an entry under Unreleased',
    { changelog: ready.changelog.replace('[Unreleased]\n', '[Unreleased]\n\n- Later.\n') },
    'has entries under "Unreleased"',
  ],
  ['a tag that exists', { tags: ['v1.1.0', 'v1.2.0'] }, 'v1.2.0 exists'],
  ['a file that is not committed', { changed: ['worker/index.ts'] }, 'not committed: worker/index.ts'],
])('%s stops a release', (_, change, sentence) => {
  expect(obstacles({ ...ready, ...change })).toEqual([expect.stringContaining(sentence)]);
});
