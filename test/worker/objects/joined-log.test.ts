import { expect, test } from 'vitest';
import { JoinedLog } from '../../../worker/objects/joined-log.ts';
import { linesFrom } from '../../support/worker/log-lines.ts';

/** A log whose calls are answered by hand. */
function slowLog() {
  const calls: { ids: [number, number]; last: boolean; answer: PromiseWithResolvers<void> }[] = [];
  const log = new JoinedLog(
    Promise.resolve({
      async append(first, lines, last) {
        const answer = Promise.withResolvers<void>();
        const end = first + lines.length - 1;
        calls.push({ ids: [first, end], last, answer });
        await answer.promise;
        return { through: end, watched: true };
      },
    }),
  );
  const send = (first: number, last: number, isLast = false) =>
    log.append(first, linesFrom(first, last), isLast).then(({ through }) => through);
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
  receipts.push(send(3, 4), send(5, 5), send(6, 6, true));
  first.answer.resolve();
  (await called(2)).answer.resolve();
  expect(await Promise.all(receipts)).toEqual([2, 6, 6, 6]);
  expect(calls.map(({ ids, last }) => [ids, last])).toEqual([
    [[1, 2], false],
    [[3, 6], true],
  ]);
});

test('a frame that does not continue the one before it, or follows the last one, has a separate call', async () => {
  const { calls, send, called } = slowLog();
  const receipts = [send(1, 1)];
  const first = await called(1);
  receipts.push(send(2, 2), send(4, 4, true), send(5, 5));
  first.answer.resolve();
  for (const count of [2, 3, 4]) (await called(count)).answer.resolve();
  await Promise.all(receipts);
  expect(calls.map(({ ids }) => ids)).toEqual([
    [1, 1],
    [2, 2],
    [4, 4],
    [5, 5],
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
