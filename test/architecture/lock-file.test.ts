/**
 * `npm ci` refuses a lock file that leaves out a package its other packages name, and npm writes
 * such a file without a word: an optional build for another platform that the registry does not
 * have yet gets no entry. Only a machine without `node_modules` notices.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

type Packages = Record<string, { optionalDependencies?: Record<string, string> }>;

/** The named optional packages that no entry of the lock file resolves, as Node would look for them. */
function unresolved(packages: Packages): string[] {
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !folders(path).some((folder) => `${folder}node_modules/${name}` in packages))
      .map((name) => `${path || 'package.json'} names ${name}`),
  );
}

/** The folders where Node looks for what a package imports, nearest first: `a/b/` for `a/b`. */
function folders(path: string): string[] {
  const parents = path.split(/(?=node_modules\/)/);
  return [...parents.keys(), parents.length]
    .reverse()
    .map((count) => parents.slice(0, count).join(''))
    .map((folder) => (folder === '' || folder.endsWith('/') ? folder : `${folder}/`));
}

test('the lock file has an entry for every optional package that a package names', () => {
  const lock = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8');
  expect(unresolved(JSON.parse(lock).packages)).toEqual([]);
});

test('an optional package without an entry is found by name, a nested or hoisted one passes', () => {
  const named = { optionalDependencies: { '@x/linux': '1', '@x/darwin': '1' } };
  expect(
    unresolved({
      'node_modules/a': named,
      'node_modules/a/node_modules/@x/linux': {},
      'node_modules/b/node_modules/c': named,
      'node_modules/b/node_modules/@x/darwin': {},
      'node_modules/@x/linux': {},
    }),
  ).toEqual(['node_modules/a names @x/darwin']);
});
