import { expect, test } from 'vitest';
import { parseLogQuery } from '../../../protocol/logs/query/parse-log-query.ts';
import { type QueriedLine, queryMatcher } from '../../../protocol/logs/query/query-matcher.ts';

const json = '{"level":"error","status":503,"user":{"id":7},"path":"/cart/9","msg":"Card refused"}';
const lines: QueriedLine[] = [
  { line: json, stream: 'stdout', serviceId: 'svc_a', deploymentId: 'dep_1' },
  { line: 'level=warn status=404 msg="slow query"', stream: 'stderr', serviceId: 'svc_a', replica: 2 },
  { line: 'connecting to localhost:3000', stream: 'stdout', serviceId: 'svc_b' },
  { line: 'Started. ERROR: none', stream: 'system', serviceId: 'svc_b' },
];

test.each([
  ['card', [0]],
  ['CARD -refused', []],
  ['"card refused" OR localhost', [0, 2]],
  ['level:error', [0]],
  ['level:>=warn', [0, 1]],
  ['level:none', [2, 3]],
  ['-level:error,warn', [2, 3]],
  ['status:503', [0]],
  ['status:>=400', [0, 1]],
  ['status:<500', [1]],
  ['user.id:7', [0]],
  ['path:/cart*', [0]],
  ['msg:"slow query"', [1]],
  ['localhost:3000', [2]],
  ['localhost:300', [2]],
  ['toString:1', []],
  ['stream:stderr,system', [1, 3]],
  ['service:svc_b -stream:system', [2]],
  ['deployment:dep_1', [0]],
  ['replica:2', [1]],
  ['level:error OR status:404', [0, 1]],
])('the search %j finds the lines %j', (query, expected) => {
  const matches = queryMatcher(parseLogQuery(query) ?? []);
  expect(lines.flatMap((line, at) => (matches(line) ? [at] : []))).toEqual(expected);
});

test('a long hostile line costs every term only its length', () => {
  const line = `${'a='.repeat(4_000)}"${'\\"'.repeat(2_000)}`;
  const query = Array.from({ length: 20 }, (_, n) => `a${n}:"${'a'.repeat(8)}"`)
    .join(' OR ')
    .slice(0, 480);
  const matches = queryMatcher(parseLogQuery(query.replace(/ OR [^ ]*$/, '')) ?? []);
  const began = performance.now();
  for (let n = 0; n < 100; n += 1) expect(matches({ line, stream: 'stdout' })).toBe(false);
  expect(performance.now() - began).toBeLessThan(5_000);
});
