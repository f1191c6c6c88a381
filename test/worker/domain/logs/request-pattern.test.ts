/** Filters of the request log as a pattern, compared with lines as hosts write them. */
import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { searchTextMax } from '../../../../protocol/logs/kept-logs.ts';
import { type RequestFilters, requestPattern } from '../../../../worker/domain/logs/request-pattern.ts';

const line = ({ method = 'GET', path = '/', status = 200, durationMs = 5 } = {}) =>
  JSON.stringify({
    ...{ level: status >= 500 ? 'error' : 'info', method, path, status, durationMs, bytes: 1 },
    ...{ client: '203.0.113.0', host: 'shop.example.com' },
  });
const isFound = (filters: RequestFilters, of: Parameters<typeof line>[0]) =>
  RE2JS.compile(requestPattern(filters) ?? '').test(line(of));

test('without filters there is no pattern, and each filter alone finds what fits it', () => {
  expect(requestPattern({})).toBeUndefined();
  expect(isFound({ method: 'POST' }, { method: 'POST' })).toBe(true);
  expect(isFound({ method: 'POST' }, {})).toBe(false);
  expect(isFound({ status: '5xx' }, { status: 503 })).toBe(true);
  expect(isFound({ status: '5xx' }, { status: 404 })).toBe(false);
  expect(isFound({ status: '404' }, { status: 404 })).toBe(true);
  expect(isFound({ path: '/api/' }, { path: '/api/x' })).toBe(true);
  expect(isFound({ path: '/api/' }, { path: '/apix' })).toBe(false);
});

test.each(['/a.b', '/a+b(c)[d]{e}|f$^', '/"quoted"\\x', '/ä/日本', '/*', '/?'])(
  'the path %s is found by itself, and no sign of it stands for others',
  (path) => {
    expect(isFound({ path }, { path: `${path}/more` })).toBe(true);
    expect(isFound({ path }, { path: `/other${path}` })).toBe(false);
    expect(isFound({ path }, { path: path.replace(/.$/u, 'Z') })).toBe(false);
  },
);

test('a path that looks like another field is not taken for it', () => {
  expect(isFound({ status: '500' }, { path: '/","status":500,"durationMs":1,"x":"' })).toBe(false);
});

test.each([0, 1, 9, 10, 99, 100, 250, 999, 1_000, 2_500, 30_000])(
  'slower than %i ms finds the same as a comparison of numbers',
  (least) => {
    for (const base of [
      0, 1, 5, 9, 10, 11, 98, 99, 100, 101, 249, 250, 251, 999, 1_000, 1_001, 2_499, 2_500, 29_999, 30_000,
      123_456,
    ])
      for (const durationMs of [base, base + 0.01, base + 0.99])
        expect([least, durationMs, isFound({ slowerThanMs: least }, { durationMs })]).toEqual([
          least,
          durationMs,
          durationMs >= least,
        ]);
  },
);

test('the pattern of the longest filters is one that hosts accept', () => {
  const pattern = requestPattern({
    method: 'OPTIONS',
    path: `/${'"'.repeat(89)}`,
    status: '5xx',
    slowerThanMs: 3_456_789,
  });
  expect(pattern?.length).toBeLessThanOrEqual(searchTextMax);
  expect(RE2JS.compile(pattern ?? '').programSize()).toBeLessThanOrEqual(500);
});
