import { afterEach, expect, test, vi } from 'vitest';
import { callLimitMs, JoinedLog, waitingCharsMax } from '../../../worker/objects/joined-log.ts';
import { linesFrom, newLog, range } from '../../support/worker/log-lines.ts';
import { logs } from '../../support/worker/log-reader.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** A log whose calls are answered by hand. */
function slowLog() {
  const calls: { ids: [number, number]; answer: PromiseWithResolvers<void> }[] = [];
  const log = new JoinedLog(
    Promise.resolve({
      async append(first, lines) {
        const answer = Promise.withResolvers<void>();
        const end = first + lines.length - 1;
        calls.push({ ids: [first, end], answer });
        await answer.promise;
        return { through: end, watched: true };
      },
    }),
  );
  const send = (first: number, last: number) =>
    log.append(first, linesFrom(first, last)).then(({ through }) => through);
  const called = async (count: number) => {
    while (calls.length < count) await Promise.resolve();
    return calls[count - 1] as (typeof calls)[number];
  };
  return { calls, send, called };
}

test('frames that come during a call share the next one, and each is answered', async () => {
  const { calls, send, called } = slowLog();
  const receipts = [send(1, 2)];
  const first = await called(1);
  receipts.push(send(3, 4), send(5, 5), send(6, 6));
  first.answer.resolve();
  (await called(2)).answer.resolve();
  expect(await Promise.all(receipts)).toEqual([2, 6, 6, 6]);
  expect(calls.map(({ ids }) => ids)).toEqual([
    [1, 2],
    [3, 6],
  ]);
});

test('a frame that does not continue the one before it has a separate call', async () => {
  const { calls, send, called } = slowLog();
  const receipts = [send(1, 1)];
  const first = await called(1);
  receipts.push(send(2, 2), send(4, 5));
  first.answer.resolve();
  for (const count of [2, 3]) (await called(count)).answer.resolve();
  await Promise.all(receipts);
  expect(calls.map(({ ids }) => ids)).toEqual([
    [1, 1],
    [2, 2],
    [4, 5],
  ]);
});

test('a call that fails acknowledges none of its frames, and the next ones are still sent', async () => {
  const { send, called } = slowLog();
  const first = send(1, 1);
  const call = await called(1);
  const joined = Promise.allSettled([send(2, 2), send(3, 3)]);
  call.answer.resolve();
  (await called(2)).answer.reject(new Error('the disk is full'));
  const again = send(2, 3);
  expect((await joined).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  (await called(3)).answer.resolve();
  expect([await first, await again]).toEqual([1, 3]);
});

test('a log that does not answer fails its call and all that wait, and the lines are stored once when they are sent again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { id, stub } = newLog();
  const slow = Promise.withResolvers<void>();
  const lateAnswer = Promise.withResolvers<unknown>();
  const log = new JoinedLog(
    Promise.resolve({
      async append(...frame) {
        await slow.promise;
        const receipt = await stub.append(...frame);
        lateAnswer.resolve(receipt);
        return receipt;
      },
    }),
  );
  const outcomes = Promise.allSettled([
    log.append(1, linesFrom(1, 3)),
    log.append(4, linesFrom(4, 5)),
    log.append(4, linesFrom(4, 6)),
  ]);
  await Promise.resolve();
  vi.advanceTimersByTime(callLimitMs);
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);

  const again = new JoinedLog(Promise.resolve(stub));
  expect(await again.append(1, linesFrom(1, 6))).toMatchObject({ through: 6 });
  slow.resolve();
  expect(await lateAnswer.promise).toMatchObject({ through: 6 });
  expect((await logs.read(id, 0)).lines.map((line) => line.line)).toEqual(
    range(1, 6).map((n) => `line ${n}`),
  );
});

test('a log whose destination is not found in time fails as well', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const waiting = Promise.allSettled([new JoinedLog(new Promise(() => {})).append(1, linesFrom(1, 1))]);
  vi.advanceTimersByTime(callLimitMs);
  expect((await waiting)[0].status).toBe('rejected');
});

test('only so much text waits for a slow log: more is refused, and what waits is still stored', async () => {
  const gate = Promise.withResolvers<void>();
  let stored = 0;
  const log = new JoinedLog(
    Promise.resolve({
      async append(first, lines) {
        await gate.promise;
        stored += lines.length;
        return { through: first + lines.length - 1, watched: false };
      },
    }),
  );
  const text = 'x'.repeat(waitingCharsMax / 32);
  const frames = range(1, 48).map((n) => log.append(n, [{ stream: 'stdout', at: 0, line: text }]));
  gate.resolve();
  const taken = (await Promise.allSettled(frames)).filter(({ status }) => status === 'fulfilled');
  expect(taken.length).toBe(stored);
  expect(taken.length).toBeGreaterThan(16);
  expect(taken.length).toBeLessThan(34);
});
