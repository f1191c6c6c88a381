import { expect, test } from 'vitest';
import { pageTimeoutMs } from '../support/browser/open-page.ts';

test('the limit of a page is longer only while more waits than there are processors, and never endless', () => {
  expect(pageTimeoutMs(0, 2)).toBe(12_000);
  expect(pageTimeoutMs(2, 2)).toBe(12_000);
  expect(pageTimeoutMs(5, 2)).toBe(30_000);
  expect(pageTimeoutMs(100, 2)).toBe(60_000);
});
