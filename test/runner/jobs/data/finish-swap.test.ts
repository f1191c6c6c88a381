import { expect, test } from 'vitest';
import { finishSwap } from '../../../../runner/jobs/data/finish-swap.ts';

const broken = new Error('the server died');

/** A swap that breaks off, and what is found then, try by try. */
function brokenOff(...found: ('swapped' | 'untouched' | Error)[]) {
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

test('a swap that broke off after the new data became live has succeeded', async () => {
  await expect(brokenOff('swapped').swap).resolves.toBeUndefined();
});

test('an exchange that broke off before the swap fails with its own error, with the old data live', async () => {
  await expect(brokenOff('untouched').swap).rejects.toBe(broken);
});

test('an exchange is left open while the database cannot be asked how it ended', async () => {
  const { swap, said, pauses } = brokenOff(new Error('down'), new Error('starting'), 'swapped');
  await swap;
  expect(pauses).toHaveLength(2);
  expect(said.at(-1)).toContain('starting');
});

test('an exchange that stays open for an hour ends as unknown, not as unchanged', async () => {
  const { swap, pauses } = brokenOff();
  await expect(swap).rejects.toMatchObject({
    code: 'restore_failed',
    message: expect.stringContaining('not known'),
  });
  const waited = pauses.reduce((sum, ms) => sum + ms, 0);
  expect(waited).toBeGreaterThan(50 * 60_000);
});
