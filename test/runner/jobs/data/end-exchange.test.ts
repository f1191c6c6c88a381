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

test('one that broke off before it fails as it broke, with the old data live', async () => {
  await expect(brokenOff('untouched').exchange).rejects.toBe(broken);
});

test('while the database can not be asked, nothing is said of how it ended', async () => {
  const { exchange, said, pauses } = brokenOff(new Error('down'), new Error('starting'), 'swapped');
  await exchange;
  expect(pauses).toHaveLength(2);
  expect(said.at(-1)).toContain('starting');
});

test('after an hour it says that nobody knows, instead of that nothing was changed', async () => {
  const { exchange, pauses } = brokenOff();
  await expect(exchange).rejects.toMatchObject({
    code: 'restore_failed',
    message: expect.stringContaining('not known'),
  });
  const waited = pauses.reduce((sum, ms) => sum + ms, 0);
  expect(waited).toBeGreaterThan(50 * 60_000);
});
