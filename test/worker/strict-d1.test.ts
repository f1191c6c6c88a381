import { env } from 'cloudflare:workers';
import { afterEach, expect, test } from 'vitest';
import { makeStrict, refusals, valueBytesMax } from '../support/worker/d1/strict-d1.ts';

afterEach(() => makeStrict(env.DB));

const parameters = (count: number) => Array.from({ length: count }, () => '?').join(', ');
const refused: [string, () => Promise<unknown>, string][] = [
  [
    '101 parameters',
    () =>
      env.DB.prepare(`select json_array(${parameters(101)})`)
        .bind(...Array(101).fill(1))
        .all(),
    'too many SQL variables',
  ],
  ['100 KB of text', () => env.DB.prepare(`select '${'x'.repeat(100_000)}'`).first(), 'statement too long'],
  [
    'a value of 2 MB',
    async () =>
      env.DB.prepare('select ?')
        .bind('x'.repeat(valueBytesMax + 1))
        .run(),
    refusals.value,
  ],
  [
    'a batch that takes longer than 30 s',
    () => {
      makeStrict(env.DB, { queryMs: 15_001 });
      return env.DB.batch([env.DB.prepare('select 1'), env.DB.prepare('select 1')]);
    },
    refusals.timeout,
  ],
];

test.each(refused)('the D1 of the tests refuses %s, as the hosted one does', async (_, query, words) => {
  await expect(query()).rejects.toThrow(words);
});

test('queries run one at a time, and each waits for the distance once', async () => {
  makeStrict(env.DB, { queryMs: 20, distanceMs: 50 });
  const startedAt = performance.now();
  const ended: number[] = [];
  const queries = Array.from({ length: 5 }, async () => {
    await env.DB.prepare('select 1').first();
    ended.push(performance.now() - startedAt);
  });
  await Promise.all(queries);
  expect(ended[0]).toBeGreaterThanOrEqual(65);
  expect(ended[4]).toBeGreaterThanOrEqual(145);
});

test('a query that would wait too long is refused as overload', async () => {
  makeStrict(env.DB, { queryMs: 100, queueMs: 150 });
  const one = () => env.DB.prepare('select 1').first();
  const results = await Promise.allSettled([one(), one(), one()]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  expect(results[2]).toMatchObject({ reason: { message: refusals.overloaded } });
});
