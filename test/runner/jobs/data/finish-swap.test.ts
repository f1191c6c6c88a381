import { expect, test } from 'vitest';
import { finishSwap } from '../../../../runner/jobs/data/finish-swap.ts';

const broken = new Error('the server died');

/** A swap that breaks off, and what is found then, try by try. */
function failedSwap(...found: ('swapped' | 'untouched' | Error)[]) {
  const said: string[] = [];
  const pauses: number[] = [];
  const swap = finishSwap({
    swap: () => Promise.reject(broken),
    async end() {
      const next = found.shift() ?? new Error('still down');
      if (next instanceof Error) throw next;
      return next;
    },
    say: (line) => void said.push(line),
    pause: async (ms) => void pauses.push(ms),
  });
  return { swap, said, pauses };
}

test('a swap that fails after the new data became live has succeeded', async () => {
  await expect(failedSwap('swapped').swap).resolves.toBeUndefined();
});

test('a swap that fails while the old data is live throws its own error', async () => {
  await expect(failedSwap('untouched').swap).rejects.toBe(broken);
});

test('a failed swap waits until the database answers which data is live', async () => {
  const { swap, said, pauses } = failedSwap(new Error('down'), new Error('starting'), 'swapped');
  await swap;
  expect(pauses).toHaveLength(2);
  expect(said.at(-1)).toContain('starting');
});

test('a failed swap of a database that does not answer for an hour is reported as unknown, not as unchanged', async () => {
  const { swap, pauses } = failedSwap();
  await expect(swap).rejects.toMatchObject({
    code: 'restore_failed',
    message: expect.stringContaining('It is unknown whether'),
  });
  const waited = pauses.reduce((sum, ms) => sum + ms, 0);
  expect(waited).toBeGreaterThan(50 * 60_000);
});
