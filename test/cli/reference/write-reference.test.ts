import { expect, test } from 'vitest';
import { reference } from '../../../cli/reference/write-reference.ts';

test('the guide shows the help of every command: `npm run cli:reference` writes it again', async () => {
  const { pages } = await reference();
  for (const { path, is, shouldBe } of pages) expect(is, path).toBe(shouldBe);
});

test('every command has a page and an example from a real session: `npm run cli:examples` records it', async () => {
  expect((await reference()).missing).toEqual([]);
});
