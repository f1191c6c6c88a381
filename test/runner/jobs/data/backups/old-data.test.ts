import { expect, test } from 'vitest';
import { keptMsOf } from '../../../../../runner/jobs/data/old-data.ts';
import { wayBackMs } from '../../../../../worker/domain/databases/database-upgrade.ts';

test('an undo that is accepted at the last moment has an hour before the version that it needs is removed', () => {
  expect(keptMsOf({ volume: 'before' }) - wayBackMs).toBeGreaterThanOrEqual(3_600_000);
  expect(keptMsOf({})).toBe(24 * 3_600_000);
  expect(keptMsOf({ isLoaded: true })).toBe(0);
});
