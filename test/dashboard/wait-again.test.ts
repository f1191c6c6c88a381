import { expect, test } from 'vitest';
import { LongshoreError } from '../../client/client.ts';
import { waitAgainMs } from '../../dashboard/api/wait-again.ts';

const refused = (headers: Record<string, string>) =>
  new LongshoreError(new Response(null, { status: 429, headers }), {});

test('a stream is opened again after the time that the server asks for, if that is longer', () => {
  expect(waitAgainMs(500, refused({ 'retry-after': '3' }))).toBe(3_000);
  expect(waitAgainMs(10_000, refused({ 'retry-after': '3' }))).toBe(10_000);
  expect(waitAgainMs(500, refused({}))).toBe(500);
  expect(waitAgainMs(500, new TypeError('no answer'))).toBe(500);
});
