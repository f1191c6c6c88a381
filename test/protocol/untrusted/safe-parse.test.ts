import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseRunnerFrame, runnerFrameCharsMax } from '../../../protocol/frames.ts';
import { safeParseUntrusted } from '../../../protocol/untrusted/safe-parse.ts';

const logs = '{"v":1,"type":"logs","job":"j","epoch":1,"first":1,"last":true,"lines":[';
const observed = '{"v":1,"type":"observed","services":[';

/** The largest frames of one faulty element after another. */
const hostile: Record<string, [start: string, element: string, end: string]> = {
  services: [observed, '1', ']}'],
  'volumes of one service': [`${observed}{"serviceId":"s","volumes":[`, '1', ']}]}'],
  jobs: ['{"v":1,"type":"alive","jobs":[', '{}', ']}'],
  lines: [logs, '{}', ']}'],
  domains: ['{"v":1,"type":"domains","domains":[', 'null', ']}'],
  'suggested keys': [
    '{"v":1,"type":"report","job":"j","epoch":1,"id":"r","event":{"type":"result","result":{"outcome":"succeeded","facts":{"suggestedKeys":[',
    '0',
    ']}}}}',
  ],
};

test.each(Object.entries(hostile))(
  'a frame of faulty %s is refused by its first fault, with the processor time of reading it',
  (_, [start, element, end]) => {
    const count = Math.floor((runnerFrameCharsMax - start.length - end.length) / (element.length + 1));
    const text = `${start}${`${element},`.repeat(count - 1)}${element}${end}`;
    const before = process.cpuUsage();
    const parsed = parseRunnerFrame(text);
    const { user } = process.cpuUsage(before);
    expect(parsed).toMatchObject({ ok: false, reason: expect.stringContaining('[0]') });
    // It took 14 to 25 seconds, and gigabytes.
    expect(user / 1e6).toBeLessThan(5);
  },
);

test('a fault behind ten thousand good elements is named with its place', () => {
  const good = Array.from({ length: 20_000 }, () => ({ job: 'j', epoch: 1 }));
  const frame = (jobs: unknown[]) => parseRunnerFrame(JSON.stringify({ v: 1, type: 'alive', jobs }));
  expect(frame(good)).toMatchObject({ ok: true, frame: { jobs: { length: 20_000 } } });
  expect(frame([...good, { job: 'j' }, 1])).toEqual({
    ok: false,
    reason: expect.stringMatching(/at jobs\[20000\]\.epoch$/),
  });
});

const many = <T>(value: T) => Array.from({ length: 10_001 }, () => value);

test.each<[string, z.ZodType, unknown, PropertyKey[]]>([
  ['an optional list', z.object({ of: z.array(z.int()).optional() }), { of: many('x') }, ['of', 0]],
  ['a record of lists', z.record(z.string(), z.array(z.int())), { a: [1], b: many('x') }, ['b', 0]],
  ['a list that is transformed', z.array(z.int()).transform((all) => all.length), many('x'), [0]],
  ['a list with a default', z.array(z.int()).default([]), many('x'), [0]],
  [
    'an option of a union',
    z.discriminatedUnion('is', [
      z.object({ is: z.literal('a') }),
      z.object({ is: z.literal('b'), of: z.array(z.int()) }),
    ]),
    { is: 'b', of: many('x') },
    ['of', 0],
  ],
])('of %s only the first faulty element is described', (_, schema, value, path) => {
  const parsed = safeParseUntrusted(schema, value);
  expect(parsed.error?.issues).toMatchObject([{ path, message: expect.stringContaining('number') }]);
});

test.each<[string, z.ZodType, unknown]>([
  ['a union whose second option fits', z.union([z.array(z.int()), z.array(z.string())]), many('x')],
  ['any JSON', z.object({ of: z.json() }), { of: many(null) }],
  [
    'a value of which a list is a part',
    z.object({ of: z.array(z.int()), more: z.string() }),
    { of: many(1), more: 'x' },
  ],
])('%s is taken as zod takes it', (_, schema, value) => {
  expect(safeParseUntrusted(schema, value)).toEqual(schema.safeParse(value));
});

test('faults outside of lists are all described, and nesting of any depth is no fault', () => {
  const schema = z.object({ one: z.string(), two: z.string(), of: z.array(z.unknown()) });
  expect(safeParseUntrusted(schema, { one: 1, two: 2, of: many(1) }).error?.issues).toHaveLength(2);
  const depth = 100_000;
  const deep = JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);
  expect(safeParseUntrusted(schema, { one: '', two: '', of: deep }).success).toBe(true);
});
