/** A stream that asks its source again and again: when it ends. Times are injected, short where they are to pass. */
import { expect, test } from 'vitest';
import {
  type AskedSource,
  askedStream,
  askedStreamTiming,
  type News,
} from '../../../../worker/api/logs/asked-stream.ts';
import { ApiError } from '../../../../worker/domain/errors.ts';
import { statusEvent } from '../../../../worker/domain/logs/log-events.ts';

const never = 3_600_000;

/** Lines of a moment at which the key had no access any more. */
const late = () =>
  new Promise<News<number>>((resolve) => setTimeout(resolve, 200, { events: 'data: late\n\n', place: 1 }));

function open(more: Partial<AskedSource<number>>) {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const response = askedStream({
    first: { events: 'data: first\n\n', place: 0 },
    ask: async (place) => ({ events: '', place }),
    signal: new AbortController().signal,
    stillOpen: async () => true,
    now: Date.now,
    ended: resolve,
    ...more,
  });
  return { response, ended };
}

test.each([
  ['while it pauses', { busyMs: never }, async () => ({ events: '', place: 0 })],
  ['while its source takes long to answer', { busyMs: 1 }, late],
])('a stream whose key has lost its access %s ends at the next check', async (_, timing, ask) => {
  const checks: number[] = [];
  const { response, ended } = open({
    ask,
    stillOpen: async () => checks.push(1) < 2,
    timing: { ...askedStreamTiming, ...timing, recheckMs: 20 },
  });
  await expect(response.text()).resolves.toBe('data: first\n\n');
  await ended;
  expect(checks).toHaveLength(2);
});

test('a stream ends after its last news', async () => {
  const { response } = open({
    ask: async () => ({ events: 'data: last\n\n', place: 1, isLast: true }),
    timing: { ...askedStreamTiming, busyMs: 1 },
  });
  await expect(response.text()).resolves.toBe(`data: first\n\ndata: last\n\n${statusEvent({ ok: false })}`);
});

test('a stream whose source is busy asks again, and ends when the source is away', async () => {
  const busy = new ApiError('rate_limited', 'The host is busy with other searches.');
  const answers = [
    busy,
    busy,
    { events: 'data: second\n\n', place: 1 },
    new ApiError('runner_offline', 'The host is away.'),
  ];
  const places: number[] = [];
  const { response, ended } = open({
    ask: async (place) => {
      places.push(place);
      const answer = answers.shift();
      if (!answer || answer instanceof ApiError) throw answer;
      return answer;
    },
    timing: { ...askedStreamTiming, busyMs: 1, restFactor: 0 },
  });
  const text = await response.text();
  expect(text).toBe(`data: first\n\ndata: second\n\n${statusEvent({ ok: false })}`);
  expect(places).toEqual([0, 0, 0, 1]);
  await ended;
});
