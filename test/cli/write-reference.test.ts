import { expect, test } from 'vitest';
import { reference } from '../../cli/write-reference.ts';

test('the guide shows the help of every command: `npm run cli:reference` writes it again', async () => {
  const { is, shouldBe } = await reference();
  expect(is).toBe(shouldBe);
});
