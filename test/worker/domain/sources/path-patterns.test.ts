import { expect, test } from 'vitest';
import { isChosen, patternSyntax } from '../../../../worker/domain/sources/path-patterns.ts';

test.each([
  // [patterns, chosen, not chosen]
  [['apps/web'], ['apps/web/a.ts', 'apps/web/x/y.ts', 'apps/web'], ['apps/website/a.ts', 'x/apps/web/a.ts']],
  [['/apps/web/'], ['apps/web/a.ts'], ['apps/web', 'x/apps/web/a.ts']],
  [['apps/web/**'], ['apps/web/a.ts', 'apps/web/x/y.ts'], ['apps/web', 'apps/web2/a']],
  [['*.ts'], ['a.ts', 'x/y/a.ts', 'a.ts/b'], ['a.tsx', 'ts']],
  [['/*.ts'], ['a.ts'], ['x/a.ts']],
  [['src/*.ts'], ['src/a.ts'], ['src/x/a.ts', 'x/src/a.ts']],
  [['src/**/*.ts'], ['src/a.ts', 'src/x/y/a.ts'], ['src/a.js', 'a.ts']],
  [['**/docs'], ['docs/a', 'x/docs/a'], ['docs2/a']],
  [['docs/'], ['docs/a', 'x/docs/a'], ['docs', 'x/docs']],
  [['a?c'], ['abc', 'x/aäc'], ['ac', 'abbc', 'a/c']],
  [['**'], ['a', 'a/b'], []],
  [['apps/**', '!apps/**/*.md'], ['apps/web/a.ts'], ['apps/a.md', 'apps/web/manual/a.md', 'readme.md']],
  [
    ['!docs/', '!*.md'],
    ['src/a.ts', 'docs.ts'],
    ['docs/a.png', 'readme.md', 'x/y.md'],
  ],
  [['*', '!manual/', 'manual/api.md'], ['a.ts', 'manual/api.md'], ['manual/b.md']],
  [['Apps/'], ['Apps/a'], ['apps/a']],
  [['with space/*'], ['with space/ä.ts'], ['with/space/a']],
  [['a*b*c'], ['abc', 'aXbYc', 'abbcc'], ['ab', 'acb']],
  [[], [], ['a']],
])('the patterns %j choose %j, and not %j', (patterns, chosen, others) => {
  for (const path of chosen) expect(isChosen(patterns, path), path).toBe(true);
  for (const path of others) expect(isChosen(patterns, path), path).toBe(false);
});

test('a pattern of many stars takes no longer than its path is long', () => {
  const started = performance.now();
  expect(isChosen([`${'*a'.repeat(90)}b`, `${'**/'.repeat(60)}b`], 'a'.repeat(4_000))).toBe(false);
  expect(isChosen([`${'**/'.repeat(60)}b`], 'a/'.repeat(500))).toBe(false);
  expect(performance.now() - started).toBeLessThan(5_000);
});

test.each(['', '!', '!!a', '[ab]', 'a\\b', 'a\nb'])('%j is no pattern', (text) => {
  expect(patternSyntax.test(text)).toBe(false);
});
