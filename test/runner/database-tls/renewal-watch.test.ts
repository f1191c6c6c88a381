import { expect, test } from 'vitest';
import {
  firstCheckMs,
  pollIntervalMs,
  startRenewalWatch,
} from '../../../runner/database-tls/renewal-watch.ts';
import { manualClock } from '../../support/runner/manual-clock.ts';

test('the renewal watch checks soon after the start and every hour, also after a failure, until it is stopped', async () => {
  const clock = manualClock();
  const warned: string[] = [];
  let looks = 0;
  const renew = async () => {
    looks += 1;
    if (looks === 1) throw new Error('Docker is away');
  };
  const end = startRenewalWatch({ renew, clock, logger: { warn: (line) => void warned.push(line) } });
  await clock.advance(firstCheckMs - 1);
  expect(looks).toBe(0);
  await clock.advance(1);
  expect(looks).toBe(1);
  expect(warned).toEqual([expect.stringContaining('Docker is away')]);
  await clock.advance(2 * pollIntervalMs);
  expect(looks).toBe(3);
  end();
  await clock.advance(2 * pollIntervalMs);
  expect(looks).toBe(3);
  expect(clock.waiting).toEqual([]);
});
