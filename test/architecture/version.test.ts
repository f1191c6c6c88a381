/** The version is written in package.json; the files that repeat it must agree. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const { version, license } = JSON.parse(read('package.json'));

describe('the version', () => {
  test('package-lock.json has the version of package.json', () => {
    const lock = JSON.parse(read('package-lock.json'));
    expect([lock.version, lock.packages[''].version]).toEqual([version, version]);
  });

  test('CHANGELOG.md has an Unreleased section, and its newest release is the version of package.json', () => {
    const headings = [...read('CHANGELOG.md').matchAll(/^## \[(.+?)\](?: - \d{4}-\d{2}-\d{2})?$/gm)];
    expect(headings.slice(0, 2).map(([, name]) => name)).toEqual(['Unreleased', version]);
  });
});

test('LICENSE is the text of the licence that package.json names', () => {
  expect(license).toBe('Apache-2.0');
  expect(read('LICENSE')).toMatch(/^\s*Apache License\s+Version 2\.0, January 2004/);
});
