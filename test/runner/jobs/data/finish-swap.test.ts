import { expect, test } from 'vitest';
import { finishSwap } from '../../../../runner/jobs/data/finish-swap.ts';

const broken = new Error('the server died');

/** A swap that is interrupted. @param found the result of each check of which data is live */
function interrupted(...found: ('swapped' | 'untouched' | Error)[]) {
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

test('a swap that was interrupted after the new data became live has succeeded', async () => {
  await expect(interrupted('swapped').swap).resolves.toBeUndefined();
});

test('a swap that was interrupted before the new data became live fails with its own error', async () => {
  await expect(interrupted('untouched').swap).rejects.toBe(broken);
});

test('a swap stays open while the database does not answer whether it happened', async () => {
  const { swap, said, pauses } = interrupted(new Error('down'), new Error('starting'), 'swapped');
  await swap;
  expect(pauses).toHaveLength(2);
  expect(said.at(-1)).toContain('starting');
});

test('a swap that stays open for an hour fails as unknown, not as unchanged', async () => {
  const { swap, pauses } = interrupted();
  await expect(swap).rejects.toMatchObject({
    code: 'restore_failed',
    message: expect.stringContaining('it is unknown'),
  });
  const waited = pauses.reduce((sum, ms) => sum + ms, 0);
  expect(waited).toBeGreaterThan(50 * 60_000);
});
