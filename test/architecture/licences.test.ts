/** Longshore is Apache-2.0: what it runs with must not put stricter terms on its users. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { licenceViolations } from './checker/licences.ts';

test('every package that Longshore runs with has a permissive licence', () => {
  const lock = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8');
  expect(licenceViolations(JSON.parse(lock).packages)).toEqual([]);
});

describe('the licence check', () => {
  const violations = (license: string | undefined, dev?: boolean) =>
    licenceViolations({
      '': { license: 'GPL-3.0-only' },
      'node_modules/a/node_modules/@b/c': {
        ...(license === undefined ? {} : { license }),
        ...(dev ? { dev } : {}),
      },
    });

  test.each(['MIT', '(AFL-2.1 OR BSD-3-Clause)', 'MIT OR GPL-3.0-only', 'Apache-2.0 AND MIT'])(
    'accepts %s',
    (license) => {
      expect(violations(license)).toEqual([]);
    },
  );

  test.each([
    'GPL-3.0-only',
    'MIT AND LGPL-3.0-or-later',
    '(MIT OR ISC) AND (GPL-3.0-only)',
    'SEE LICENSE IN LICENSE',
  ])('refuses %s by name of the package', (license) => {
    expect(violations(license)).toEqual([`@b/c has the licence ${license}`]);
  });

  test('refuses a package without a licence', () => {
    expect(violations(undefined)).toEqual(['@b/c has the licence none']);
  });

  test('accepts any licence of a development tool', () => {
    expect(violations('LGPL-3.0-or-later', true)).toEqual([]);
  });
});
