import { expect, test } from 'vitest';
import { endExchange } from '../../../../runner/jobs/data/end-exchange.ts';

const broken = new Error('the server died');

/** A swap that breaks off, and what is found then, try by try. */
function brokenOff(...found: ('swapped' | 'untouched' | Error)[]) {
  const said: string[] = [];
  const pauses: number[] = [];
  const exchange = endExchange({
    swap: () => Promise.reject(broken),
    async end() {
      const next = found.shift() ?? new Error('still down');
      if (next instanceof Error) throw next;
      return next;
    },
    say: (line) => void said.push(line),
    pause: async (ms) => void pauses.push(ms),
  });
  return { exchange, said, pauses };
}

test('an exchange that broke off after the new data became live has succeeded', async () => {
  await expect(brokenOff('swapped').exchange).resolves.toBeUndefined();
});

test('an exchange that broke off before the swap fails with its own error, with the old data live', async () => {
  await expect(brokenOff('untouched').exchange).rejects.toBe(broken);
});

test('an exchange is left open while the database cannot be asked how it ended', async () => {
  const { exchange, said, pauses } = brokenOff(new Error('down'), new Error('starting'), 'swapped');
  await exchange;
  expect(pauses).toHaveLength(2);
  expect(said.at(-1)).toContain('starting');
});

test('an exchange that stays open for an hour ends as unknown, not as unchanged', async () => {
  const { exchange, pauses } = brokenOff();
  await expect(exchange).rejects.toMatchObject({
    code: 'restore_failed',
    message: expect.stringContaining('not known'),
  });
  const waited = pauses.reduce((sum, ms) => sum + ms, 0);
  expect(waited).toBeGreaterThan(50 * 60_000);
});
