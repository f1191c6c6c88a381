import { expect, test } from 'vitest';
import { startScheduledTimer } from '../../local/scheduled-timer.ts';

const minute = 60_000;

/** A clock that stands until the test moves it on. */
function standingClock(from: number) {
  let now = from;
  let waiting: { until: number; go: () => void } | undefined;
  let asked = Promise.withResolvers<number>();
  return {
    now: () => now,
    wait(ms: number, signal: AbortSignal) {
      const gate = Promise.withResolvers<void>();
      waiting = { until: now + ms, go: gate.resolve };
      signal.addEventListener('abort', () => gate.resolve());
      asked.resolve(ms);
      return gate.promise;
    },
    /** Resolves with the milliseconds that the timer waits next. */
    nextWait: () => asked.promise,
    /** Moves on to the end of the wait under way, and `lateMs` past it. */
    passWait(lateMs = 0) {
      now = (waiting?.until ?? now) + lateMs;
      asked = Promise.withResolvers();
      waiting?.go();
    },
  };
}

test('the minute timer fires at each full minute with that minute', async () => {
  const clock = standingClock(10 * minute + 12_345);
  const fired: number[] = [];
  const stop = startScheduledTimer(
    clock,
    async (at) => void fired.push(at),
    () => {},
  );
  expect(await clock.nextWait()).toBe(minute - 12_345);
  clock.passWait();
  expect(await clock.nextWait()).toBe(minute);
  clock.passWait(700);
  expect(await clock.nextWait()).toBe(minute - 700);
  await stop();
  expect(fired).toEqual([11 * minute, 12 * minute]);
});

test('the minute timer never runs twice at once: a slow run skips the minutes it covers', async () => {
  const clock = standingClock(0);
  const gate = Promise.withResolvers<void>();
  const fired: number[] = [];
  const run = (at: number) => {
    fired.push(at);
    return fired.length === 1 ? gate.promise : Promise.resolve();
  };
  const stop = startScheduledTimer(clock, run, () => {});
  await clock.nextWait();
  clock.passWait(3 * minute);
  gate.resolve();
  expect(await clock.nextWait()).toBe(minute);
  clock.passWait();
  await clock.nextWait();
  await stop();
  expect(fired).toEqual([minute, 5 * minute]);
});

test('the minute timer continues after a failed run', async () => {
  const clock = standingClock(0);
  const failures: unknown[] = [];
  const stop = startScheduledTimer(
    clock,
    () => Promise.reject(new Error('no')),
    (error) => failures.push(error),
  );
  for (const _ of [1, 2]) {
    await clock.nextWait();
    clock.passWait();
  }
  await clock.nextWait();
  await stop();
  expect(failures).toHaveLength(2);
});

test('the minute timer stops at once while waiting, and after the run while running', async () => {
  const clock = standingClock(0);
  const gate = Promise.withResolvers<void>();
  const running = Promise.withResolvers<void>();
  const stop = startScheduledTimer(
    clock,
    () => {
      running.resolve();
      return gate.promise;
    },
    () => {},
  );
  await clock.nextWait();
  clock.passWait();
  await running.promise;
  let stopped = false;
  const ending = stop().then(() => {
    stopped = true;
  });
  await Promise.resolve();
  expect(stopped).toBe(false);
  gate.resolve();
  await ending;
});
