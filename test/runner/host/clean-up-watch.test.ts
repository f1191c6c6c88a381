import { expect, onTestFinished, test } from 'vitest';
import { cleanUpEveryMs, cleanUpSettleMs, startCleanUpWatch } from '../../../runner/host/clean-up-watch.ts';
import { manualClock } from '../../support/runner/manual-clock.ts';

function watched(run: () => Promise<number>) {
  const clock = manualClock();
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  const watch = startCleanUpWatch({ run, clock, logger: { info: say, warn: say } });
  onTestFinished(() => watch.stop());
  return { clock, said, watch };
}

test('the watch cleans up every hour, and once some minutes after any number of builds', async () => {
  let runs = 0;
  const { clock, watch } = watched(async () => {
    runs += 1;
    return 0;
  });
  await clock.advance(cleanUpEveryMs);
  expect(runs).toBe(1);
  watch.soon();
  watch.soon();
  await clock.advance(cleanUpSettleMs - 1);
  expect(runs).toBe(1);
  await clock.advance(1);
  expect(runs).toBe(2);
  await clock.advance(cleanUpEveryMs);
  expect(runs).toBe(3);
  watch.stop();
  await clock.advance(3 * cleanUpEveryMs);
  expect(runs).toBe(3);
});

test('a failed clean-up is reported and retried, and freed space is reported', async () => {
  const results = [new Error('Docker is away'), 42e6];
  const { clock, said } = watched(async () => {
    const result = results.shift();
    if (typeof result !== 'number') throw result;
    return result;
  });
  await clock.advance(2 * cleanUpEveryMs);
  expect(said).toEqual([
    'disk space could not be freed: Docker is away',
    'freed 42 MB of images and build cache',
  ]);
});
