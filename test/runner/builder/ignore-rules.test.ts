/** The rules of `.dockerignore`: the examples of Docker's documentation, and rules that are made to keep the runner busy. */
import { describe, expect, test } from 'vitest';
import { ignoreRules, refuseLargeRules } from '../../../runner/builder/ignore-rules.ts';

const isIgnored = (text: string, path: string) => ignoreRules({ name: '.dockerignore', text })(path);

describe('Docker’s rules', () => {
  test.each([
    ['a file', 'a.txt', 'a.txt', true],
    ['a file, not its name elsewhere', 'a.txt', 'b/a.txt', false],
    ['a directory with all in it', 'build', 'build/x/y.js', true],
    ['no directory with a longer name', 'build', 'builder/x.js', false],
    ['a slash in front and behind', '/build/', 'build/x.js', true],
    ['dots in the path', './a/../build', 'build/x.js', true],
    ['one level', '*/temp*', 'somedir/temporary.txt', true],
    ['one level, not two', '*/temp*', 'a/b/temp', false],
    ['two levels', '*/*/temp*', 'somedir/subdir/temporary.txt', true],
    ['one character', 'temp?', 'tempa', true],
    ['one character, not none', 'temp?', 'temp', false],
    ['any depth, none included', '**/*.go', 'a.go', true],
    ['any depth', '**/*.go', 'x/y/a.go', true],
    ['any depth in between', 'a/**/z', 'a/b/c/z', true],
    ['whole directories only', '**/tmp', 'x/atmp', false],
    ['everything below', 'a/**', 'a/b/c', true],
    ['everything', '**', 'a/b', true],
    ['a class', 'log[0-9-]', 'log7', true],
    ['a class, another character', 'log[0-9]', 'logs', false],
    ['a class without these', 'log[^0-9]', 'logs', true],
    ['a star that is a star', 'a\\*', 'a*', true],
    ['a star that is a star, not another', 'a\\*', 'ab', false],
    ['a character of two units', 'x?y', 'x😀y', true],
    ['a comment', '# a\na', '# a', false],
    ['a byte order mark and Windows line ends', '\ufeffa\r\nb\r\n', 'b', true],
  ])('%s', (_, text, path, ignored) => {
    expect(isIgnored(text, path)).toBe(ignored);
  });

  test('the last rule that matches decides', () => {
    expect(isIgnored('*.md\n!README.md', 'README.md')).toBe(false);
    expect(isIgnored('*.md\n!README*.md\nREADME-secret.md', 'README-secret.md')).toBe(true);
    expect(isIgnored('!README.md\n*.md', 'README.md')).toBe(true);
    expect(isIgnored('*\n!src', 'src/a.js')).toBe(false);
  });

  test.each(['a[b', '!'])('what Docker cannot read is refused by name: %s', (text) => {
    expect(() => isIgnored(text, 'a')).toThrow(/^\.dockerignore: .*correct it/);
  });
});

describe('rules that are made to keep the runner busy', () => {
  test('many wildcards take no longer than others', () => {
    const text = [`${'a*'.repeat(60)}b`, ...Array.from({ length: 20 }, () => '**/a*a*a*a*a*b')].join('\n');
    const startedAt = performance.now();
    expect(isIgnored(text, `${'a'.repeat(250)}/${'a'.repeat(250)}`)).toBe(false);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  test('too many rules and a large file are refused', () => {
    expect(() => isIgnored('a\n'.repeat(1_001), 'b')).toThrow('.dockerignore: it has more than 1,000 rules');
    expect(() => refuseLargeRules('web.dockerignore', 200_000)).toThrow(
      'web.dockerignore: it is larger than 128 KB',
    );
  });
});
