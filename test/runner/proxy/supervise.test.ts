import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Supervised, supervise } from '../../../runner/proxy/supervise.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A program whose health the test sets; the clock moves by a second with each look. */
function program(health: Partial<Supervised>) {
  const replaced: number[] = [];
  const reports: string[] = [];
  const supervision = supervise(
    {
      name: 'edge',
      isAlive() {
        vi.advanceTimersByTime(1_000);
        return true;
      },
      answers: async () => true,
      async replace() {
        replaced.push(replaced.length);
      },
      probeIntervalMs: 1_000,
      missesMax: 2,
      ...health,
    },
    (sentence) => reports.push(sentence),
  );
  return { supervision, replaced, reports };
}

test('a program that has ended is replaced at the next check', async () => {
  let alive = false;
  const { supervision, replaced, reports } = program({
    isAlive: () => alive,
    async replace() {
      alive = true;
      replaced.push(1);
    },
  });
  await expect.poll(() => reports).toHaveLength(1);
  expect(reports[0]).toMatch(/^edge had stopped and was started again in \d+ ms$/);
  expect(replaced).toHaveLength(1);
  await supervision.stop();
});

test('a silent program is replaced after the allowed misses, and a single miss is forgiven', {
  tags: 'slow',
}, async () => {
  const given = [false, true, false, false];
  let asked = 0;
  const { supervision, replaced, reports } = program({
    answers: async () => {
      asked += 1;
      if (asked <= 3) expect(replaced).toHaveLength(0);
      return given[asked - 1] ?? true;
    },
  });
  await expect.poll(() => reports).toEqual([expect.stringContaining('did not answer')]);
  expect(asked).toBe(4);
  await supervision.stop();
});

test('a silent program that still uses the processor gets more time, but not without end', {
  tags: 'slow',
}, async () => {
  let [ticks, asked] = [0, 0];
  const { supervision, replaced } = program({
    answers: async () => {
      asked += 1;
      ticks += 1;
      return false;
    },
    used: () => ticks,
  });
  await expect.poll(() => replaced, { timeout: 60_000 }).toEqual([0]);
  expect(asked).toBe(20);
  await supervision.stop();
});

test('a program that does not come back is retried, and reported once', { tags: 'slow' }, async () => {
  let attempts = 0;
  let alive = false;
  const { supervision, reports } = program({
    isAlive: () => alive,
    async replace() {
      attempts += 1;
      if (attempts < 3) throw new Error('port taken');
      alive = true;
    },
  });
  await expect.poll(() => reports).toHaveLength(2);
  expect(reports[0]).toContain('could not be started again: port taken');
  expect(attempts).toBe(3);
  await supervision.stop();
});

test('nothing is replaced after the stop', { tags: 'slow' }, async () => {
  let alive = true;
  const { supervision, replaced } = program({ isAlive: () => alive });
  await supervision.stop();
  alive = false;
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(replaced).toEqual([]);
});

test('a program that cannot be replaced for ten seconds is a trouble with its reason, until it is replaced', async () => {
  let [tries, isThere] = [0, false];
  const { supervision } = program({
    isAlive: () => isThere,
    async replace() {
      vi.advanceTimersByTime(6_000);
      tries += 1;
      if (tries < 3) throw new Error('spawn caddy ENOENT');
      isThere = true;
    },
  });
  await expect.poll(() => tries).toBe(1);
  expect(supervision.trouble()).toBeUndefined();
  await expect
    .poll(() => supervision.trouble(), { timeout: 5_000 })
    .toBe('edge had stopped and could not be started again: spawn caddy ENOENT.');
  await expect.poll(() => supervision.trouble(), { timeout: 5_000 }).toBeUndefined();
  expect(tries).toBe(3);
  await supervision.stop();
});
