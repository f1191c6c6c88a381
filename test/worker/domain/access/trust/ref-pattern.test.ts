import { expect, test } from 'vitest';
import { matchesPattern } from '../../../../../worker/domain/access/trust/ref-pattern.ts';

test.each([
  ['main', 'main', true],
  ['main', 'mainx', false],
  ['main', 'xmain', false],
  ['main', 'Main', false],
  ['main', '', false],
  ['m.in', 'main', false],
  ['(a|b)+', 'a', false],
  ['release/*', 'release/1.2', true],
  ['release/*', 'release/', true],
  ['release/*', 'release/1/2', false],
  ['release/**', 'release/1/2', true],
  ['*', 'feature/a', false],
  ['**', 'feature/a', true],
  ['**/end', 'a/b/end', true],
  ['**/end', 'a/b/end/', false],
  ['v*.*.*', 'v1.20.3', true],
  ['v*.*.*', 'v1.20', false],
  ['***', 'a/b', true],
  ['*a', 'aaab', false],
  ['ü*', 'über', true],
  ['a\nb', 'a\nb', true],
])('%j compared with %j is %j', (pattern, text, expected) => {
  expect(matchesPattern(pattern, text)).toBe(expected);
});

test('a pattern of many wildcards takes time proportional to its length', () => {
  const started = performance.now();
  expect(matchesPattern('*a'.repeat(100), `${'a'.repeat(499)}b`)).toBe(false);
  expect(performance.now() - started).toBeLessThan(1_000);
});
