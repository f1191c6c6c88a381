/** Every page of the documentation is proven, and the table that says by which command is current. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { wordsOfPages } from '../guarantees/pages.ts';
import { guaranteesPage, guaranteesPath, proofs } from '../guarantees/table.ts';

test('the page of guarantees is the one that the test files give', () => {
  expect(readFileSync(guaranteesPath, 'utf8'), 'run npm run guarantees').toBe(guaranteesPage());
});

test('each page is proven by `npm test`', () => {
  const unproven = proofs().filter(
    ({ files }) => files['without Docker'].length + files['with Docker'].length === 0,
  );
  expect(unproven.map(({ page }) => page)).toEqual([]);
});

test('each word of a page is in the path of a test file, and each page is there', () => {
  for (const { page, files } of proofs())
    for (const word of wordsOfPages[page] ?? []) {
      const proving = Object.values(files).flat();
      expect([page, word, proving.some((file) => file.includes(word))]).toEqual([page, word, true]);
    }
  expect(Object.keys(wordsOfPages).filter((page) => !existsSync(`docs/${page}`))).toEqual([]);
});
