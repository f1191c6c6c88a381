import { expect, test } from 'vitest';
import { reconnectSpreadMs } from '../../../../worker/domain/hosts/reconnect-spread.ts';

test.each([
  [1, 1_000],
  [100, 1_000],
  [3_000, 20_000],
  [10_000, 60_000],
  [100_000, 60_000],
])('%i hosts come back over %i ms', (hosts, ms) => {
  expect(reconnectSpreadMs(hosts)).toBe(ms);
});

test('10,000 hosts are back within 60 s, and never more than 250 dial in one second', () => {
  // A quasi-random sequence (golden ratio) spreads as evenly as independent random numbers do on average, and gives the same in each run.
  const seconds = Array.from({ length: 10_000 }, (_, host) =>
    Math.floor((((host * 0.618_033_988_749) % 1) * reconnectSpreadMs(10_000)) / 1_000),
  );
  const perSecond = Map.groupBy(seconds, (second) => second);
  expect(Math.max(...perSecond.keys())).toBeLessThan(60);
  expect(Math.max(...[...perSecond.values()].map(({ length }) => length))).toBeLessThan(250);
});
