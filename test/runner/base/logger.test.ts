import { expect, test } from 'vitest';
import { createLogger } from '../../../runner/base/logger.ts';

test('what a user wrote can neither forge an event of the log nor steer the terminal that shows it', () => {
  let written = '';
  const logger = createLogger((text) => {
    written += text;
  });
  const forged = 'no\r\n2026-11-23T00:00:00.000Z info all is well\rx\u001b[2J\u202e';
  logger.error('a job failed', new Error(forged));
  const [first, ...more] = written.trimEnd().split('\n');
  expect(first).toMatch(/^\d{4}-\S+ error a job failed: Error: no$/);
  expect(more[0]).toBe('  2026-11-23T00:00:00.000Z info all is well x [2J ');
  expect(more.filter((line) => !line.startsWith('  '))).toEqual([]);
});
