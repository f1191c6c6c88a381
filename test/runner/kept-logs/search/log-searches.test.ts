import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { LogSearch } from '../../../../protocol/logs/kept-logs.ts';
import { parseLogQuery } from '../../../../protocol/logs/query/parse-log-query.ts';
import { LogSearches } from '../../../../runner/kept-logs/search/log-searches.ts';
import { KeptHost, serviceId } from '../../../support/runner/kept-host.ts';
import { temporaryDirectory } from '../../../support/runner/temporary-directory.ts';

let host: KeptHost;
let searches: LogSearches;
const other = 'svc_1111111111111111';

beforeEach(() => {
  host = new KeptHost(temporaryDirectory());
  searches = new LogSearches(host.logs, { ms: 60_000 });
  onTestFinished(() => host.keeper.stop());
});

const asked = (fields: Partial<LogSearch>): LogSearch => ({
  ...{ services: [{ serviceId, from: null }], order: 'oldest', limit: 1_000 },
  ...fields,
});

async function search(fields: Partial<LogSearch> = {}) {
  const answer = await searches.answer(asked(fields));
  if ('refused' in answer) throw new Error(answer.reason);
  return answer;
}

const textsOf = async (fields: Partial<LogSearch>) => (await search(fields)).lines.map(({ line }) => line);

/** Every page of a search, by following its places. */
async function pages(fields: Partial<LogSearch>) {
  const lines: string[] = [];
  let services = fields.services ?? [{ serviceId, from: null }];
  for (let page = 0; page < 500; page++) {
    const answer = await search({ ...fields, services });
    lines.push(...answer.lines.map(({ line }) => line));
    if (answer.stopped === 'end') return lines;
    services = answer.services;
  }
  throw new Error('The search does not end.');
}

const printed = [
  '{"level":"info","status":200,"user":{"id":7},"msg":"GET /"}',
  '{"level":50,"status":500,"user":{"id":8},"msg":"boom"}',
  'level=warn msg="slow query" ms=900',
  '2026-11-24 10:00:00 [ERROR] refused',
  'plain words about an error here',
  'Error: connection lost',
];

test('lines are found by text, regular expression, level, JSON fields and deployment', async () => {
  host.run('a');
  host.print('a', printed);
  await host.settle();
  expect(await textsOf({ text: 'slow' })).toEqual([printed[2]]);
  expect(await textsOf({ regex: '(?i)^error: .*LOST$' })).toEqual([printed[5]]);
  expect(await textsOf({ levels: ['error'] })).toEqual([printed[1], printed[3], printed[5]]);
  expect(await textsOf({ levels: ['warn'] })).toEqual([printed[2]]);
  expect(await textsOf({ fields: [{ path: 'status', value: '500' }] })).toEqual([printed[1]]);
  expect(await textsOf({ fields: [{ path: 'user.id', value: '7' }], text: 'GET' })).toEqual([printed[0]]);
  expect(await textsOf({ fields: [{ path: 'toString', value: '1' }] })).toEqual([]);
  expect(await textsOf({ deploymentId: 'dep_a' })).toHaveLength(printed.length + 1);
  expect(await textsOf({ deploymentId: 'dep_b' })).toEqual([]);
  const { lines } = await search({ text: 'boom' });
  expect(lines).toMatchObject([{ serviceId, deploymentId: 'dep_a', level: 'error', stream: 'stdout' }]);
});

test('a line that is kept only in part is found by the level and the fields of the whole line', async () => {
  const body = 'at handler (/app/server.js:1:1)\\n'.repeat(700);
  const long = [
    `{"level":"error","body":"${body}","status":500}`,
    `{"body":"${body}","user":{"id":7},"level":"error"}`,
    `ts=1 msg="${'x'.repeat(20_000)}" level=error`,
    `[error] ${'x'.repeat(20_000)}`,
    `{"body":"${body}","level":"info","status":200}`,
  ];
  host.run('a');
  host.print('a', [...printed, ...long]);
  await host.settle();
  const { lines } = await search({ levels: ['error'] });
  expect(lines.map(({ line }) => line.slice(0, 12))).toEqual(
    [printed[1], printed[3], printed[5], ...long.slice(0, 4)].map((line) => line?.slice(0, 12)),
  );
  expect(lines.at(-1)).toMatchObject({ level: 'error', line: expect.stringMatching(/line cut at 8 KB\)$/) });
  const starts = (await textsOf({ fields: [{ path: 'user.id', value: '7' }] })).map((line) =>
    line.slice(0, 8),
  );
  expect(starts).toEqual([printed[0]?.slice(0, 8), long[1]?.slice(0, 8)]);
  expect(await textsOf({ fields: [{ path: 'status', value: '500' }], order: 'newest' })).toHaveLength(2);
});

test('a time range holds exactly the lines in it', async () => {
  host.run('a');
  const at = host.clock.now() * 1000;
  for (let n = 0; n < 10; n++) host.print('a', [`line ${n}`], at + n * 1000);
  await host.settle();
  const range = { since: at + 3_000, until: at + 6_000 };
  expect(await textsOf({ ...range, text: 'line' })).toEqual(['line 3', 'line 4', 'line 5']);
  expect(await textsOf({ ...range, order: 'newest' })).toEqual(['line 5', 'line 4', 'line 3']);
});

test.each(['oldest', 'newest'] as const)(
  'pages of two services, %s first, hold every line once and in order, across segments',
  { tags: 'slow' },
  async (order) => {
    host.run('a');
    host.run('b', { serviceId: other, deploymentId: 'dep_b' });
    const filler = 'x'.repeat(7_000);
    for (let n = 0; n < 900; n++) {
      host.print(n % 3 === 0 ? 'b' : 'a', [`${n} ${filler}`], host.clock.now() * 1000 + 10 + n);
    }
    await host.settle();
    for (let n = 900; n < 1_000; n++) host.print('a', [`${n} short`], host.clock.now() * 1000 + n);
    await host.settle();
    await host.logs.tidy();
    const services = [serviceId, other].map((id) => ({ serviceId: id, from: null }));
    const found = await pages({ order, services, regex: '^[0-9]+ [xs]', limit: 70 });
    const numbers = found.map((line) => Number(line.split(' ')[0]));
    const expected = [...Array(1_000).keys()];
    expect(numbers).toEqual(order === 'oldest' ? expected : expected.reverse());
    // A budget of little more than a segment: each answer says where it stopped, and the next one goes on there.
    searches = new LogSearches(host.logs, { ms: 60_000, bytes: 1_000_000 });
    expect(await pages({ order, services, text: '999 short' })).toEqual(['999 short']);
    const { stopped, scannedBytes } = await search({ order, services, text: 'absent' });
    expect(stopped).toBe('bytes');
    expect(scannedBytes).toBeLessThan(6_000_000);
  },
);

test('a regular expression that makes others backtrack for years is answered at once', async () => {
  host.run('a');
  host.print(
    'a',
    Array.from({ length: 50 }, () => `${'a'.repeat(4_000)}!`),
  );
  await host.settle();
  const began = performance.now();
  expect(await textsOf({ regex: '^(a+)+$' })).toEqual([]);
  expect(performance.now() - began).toBeLessThan(5_000);
});

test.each(['(?:\\pL{0,1000}){1}\\pN{1000}', '\\pL{0,300}'.repeat(45), '(?:\\pL{0,30}){0,30}'.repeat(24)])(
  'a regular expression that is seconds of work for one line is refused: %s',
  async (regex) => {
    host.run('a');
    host.print('a', ['a'.repeat(16_000)]);
    await host.settle();
    const began = performance.now();
    const answer = await searches.answer(asked({ regex }));
    expect(answer).toMatchObject({ refused: 'invalid', reason: expect.stringContaining('too large') });
    expect(performance.now() - began).toBeLessThan(5_000);
  },
);

test('a regular expression with look-around is refused with the reason', async () => {
  const answer = await searches.answer(asked({ regex: '(?<=a)b' }));
  expect(answer).toMatchObject({ refused: 'invalid', reason: expect.stringContaining('RE2') });
});

test('a search without time answers with the place where it stopped, and the next one finishes', async () => {
  host.run('a');
  host.print('a', ['one', 'two']);
  await host.settle();
  searches = new LogSearches(host.logs, { ms: 0 });
  expect(await search({ text: 'two' })).toMatchObject({ lines: [], stopped: 'time' });
  searches = new LogSearches(host.logs);
  expect(await pages({ text: 'two' })).toEqual(['two']);
});

test('the log is followed from the last line that was kept before the search began', async () => {
  host.run('a');
  host.print('a', ['one', 'two']);
  await host.settle();
  const { services } = await search({ order: 'newest', text: 'none' });
  host.print('a', ['three']);
  await host.settle();
  const from = services[0]?.last ?? 0;
  expect(await textsOf({ services: [{ serviceId, from }] })).toEqual(['three']);
});

test('lines of replicas have the number of their container, also after a restart; others have none', async () => {
  host.run('only');
  host.print('only', ['alone']);
  host.run('second', { replica: 2 });
  host.print('second', ['before']);
  await host.settle();
  host.kill();
  await host.settle();
  host.print('second', ['after']);
  await host.settle();
  searches = new LogSearches(host.logs, { ms: 60_000 });
  const { lines } = await search();
  const numbers = lines
    .filter(({ stream }) => stream === 'stdout')
    .map(({ line, replica }) => [line, replica] as const);
  expect(new Map(numbers)).toEqual(
    new Map([
      ['alone', undefined],
      ['before', 2],
      ['after', 2],
    ]),
  );
});

test('a search in the query language finds the lines of one service, level and field, and says how many it compared', async () => {
  host.run('a');
  host.run('b', { serviceId: other, deploymentId: 'dep_b' });
  host.print('a', printed);
  const later = host.clock.now() * 1000 + 1_000;
  host.print('b', ['{"level":"error","status":500,"msg":"boom of b"}'], later);
  await host.settle();
  const services = [serviceId, other].map((id) => ({ serviceId: id, from: null }));
  const find = async (text: string) => {
    const query = parseLogQuery(text);
    return (await search({ services, ...(query && { query }) })).lines.map(({ line }) => line);
  };
  expect(await find('BOOM')).toEqual([printed[1], expect.stringContaining('of b')]);
  expect(await find(`boom -service:${other}`)).toEqual([printed[1]]);
  expect(await find('status:>=300 level:error')).toHaveLength(2);
  expect(await find('"slow query" OR refused')).toEqual([printed[2], printed[3]]);
  expect(await find('500')).toHaveLength(2);
  const { scannedLines } = await search({ services, query: parseLogQuery('500') ?? [] });
  expect(scannedLines).toBeGreaterThanOrEqual(printed.length + 1);
});

test('lines are counted by level in equal parts of a range, across segments, and counting goes on where it stopped', async () => {
  host.run('a');
  const at = host.clock.now() * 1000;
  const filler = 'x'.repeat(7_000);
  for (let n = 0; n < 1_500; n++) host.print('a', [`${n % 3 ? 'INFO' : 'ERROR'} ${filler}`], at + n * 1_000);
  await host.settle();
  await host.logs.tidy();
  const range = { since: at, until: at + 1_500_000, buckets: 3, order: 'newest' as const };
  const { histogram, lines, stopped } = await search(range);
  expect([lines, stopped]).toEqual([[], 'end']);
  expect(histogram?.map(({ levels }) => (levels.error ?? 0) + (levels.info ?? 0))).toEqual([500, 500, 500]);
  expect(histogram?.[1]?.levels.error).toBeGreaterThan(165);
  searches = new LogSearches(host.logs, { ms: 60_000, bytes: 3_000_000 });
  let [error, info, asks] = [0, 0, 0];
  for (let services: LogSearch['services'] = [{ serviceId, from: null }]; ; asks++) {
    const part = await search({ ...range, services });
    for (const { levels } of part.histogram ?? []) {
      error += levels.error ?? 0;
      info += levels.info ?? 0;
    }
    if (part.stopped === 'end') break;
    services = part.services;
  }
  expect([error, info]).toEqual([500, 1_000]);
  expect(asks).toBeGreaterThan(1);
  expect(await searches.answer(asked({ buckets: 3 }))).toMatchObject({ refused: 'invalid' });
});

test('the newest lines after a place come with the number of those that were left out', async () => {
  host.run('a');
  const at = host.clock.now() * 1000;
  for (let n = 0; n < 5_000; n++) host.print('a', [`line ${n}`], at + n * 10);
  await host.settle();
  const services = [{ serviceId, from: null, after: at + 990 }];
  const { lines, rest } = await search({ services, order: 'newest', limit: 100, countRest: true });
  expect(lines.map(({ line }) => line).slice(0, 2)).toEqual(['line 4999', 'line 4998']);
  expect(rest).toEqual({ lines: 4_800, isComplete: true });
  const few = await search({ services, order: 'newest', limit: 100, countRest: true, text: 'line 4999' });
  expect([few.lines.length, few.stopped, few.rest]).toEqual([1, 'end', undefined]);
});
