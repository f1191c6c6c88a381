/** Where the project lies must not matter: a URL writes the blanks and umlauts of a path with percent signs, and no file has that name. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sourceDirectories } from './checker/source-file.ts';

const projectRoot = join(import.meta.dirname, '../..');

test('no program takes the path of a file from the pathname of a URL', () => {
  const folders = [...sourceDirectories, 'test'].map((folder) => `${folder}/**/*.{ts,tsx,mjs}`);
  const wrong = globSync(folders, { cwd: projectRoot }).filter((path) =>
    /import\.meta\.url\)\s*\.pathname/.test(readFileSync(join(projectRoot, path), 'utf8')),
  );
  expect(wrong).toEqual([]);
});
