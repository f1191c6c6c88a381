import { expect, test } from 'vitest';
import {
  dearest,
  filesToRunAgain,
  overBudget,
  summary,
  type TestRun,
  together,
} from '../../local/test-report.ts';

/** @param files path and the tests' results: `passed`, `failed` or `skipped` by name */
function run(files: Record<string, Record<string, string>>, code?: number, seconds = [1]): TestRun {
  const testResults = Object.entries(files).map(([name, tests], index) => {
    const assertionResults = Object.entries(tests).map(([fullName, status]) => ({
      ...{ fullName, status },
      failureMessages: status === 'failed' ? ['Error: torn\n    at there'] : [],
    }));
    const hasFailed = assertionResults.some(({ status }) => status === 'failed');
    const endTime = 5_000 + (seconds[index] ?? 1) * 1_000;
    const status = hasFailed ? 'failed' : 'passed';
    return { name, status, message: '', startTime: 5_000, endTime, assertionResults };
  });
  const hasFailed = testResults.some(({ status }) => status === 'failed');
  return { code: code ?? (hasFailed ? 1 : 0), report: { testResults }, outside: [] };
}

const first = run({
  '/root/a.test.ts': { early: 'passed', late: 'failed' },
  '/root/b.test.ts': { good: 'passed', off: 'skipped' },
});

test('a test that failed beside others and passes alone does not fail the run, and is listed as a fault with its reason', () => {
  expect(filesToRunAgain(first)).toEqual(['/root/a.test.ts']);
  const both = together(first, run({ '/root/a.test.ts': { early: 'passed', late: 'passed' } }));
  expect(both).toMatchObject({ code: 0, faults: ['/root/a.test.ts: late: Error: torn'] });
  const fault = 'FAULT (failed beside others and passed alone, mend it) a.test.ts: late: Error: torn';
  expect(summary([both], '/root')).toEqual([
    fault,
    '3 passed, 0 failed, 1 skipped, 1 passed only the second time',
  ]);
});

test('a test that fails alone as well has failed, and so has another one of its file that failed only then', () => {
  const both = together(first, run({ '/root/a.test.ts': { early: 'failed', late: 'failed' } }));
  expect(both).toMatchObject({ code: 1, faults: [] });
  const failures = ['FAILED a.test.ts: early: Error: torn', 'FAILED a.test.ts: late: Error: torn'];
  expect(summary([both], '/root')).toEqual([...failures, '1 passed, 2 failed, 1 skipped']);
});

test('a second run that ends without a report leaves the failures of the first', () => {
  const both = together(first, { code: 1, report: undefined, outside: [] });
  expect(both).toMatchObject({ code: 1, faults: [] });
  expect(summary([both], '/root')).toEqual([
    'FAILED a.test.ts: late: Error: torn',
    '2 passed, 1 failed, 1 skipped',
  ]);
});

test('a failure says what a browser waited for, and the line of the test', () => {
  const torn = run({ '/root/a.test.ts': { late: 'failed' } });
  const [test] = torn.report?.testResults[0]?.assertionResults ?? [];
  Object.assign(test ?? {}, {
    failureMessages: [
      [
        'locator.waitFor: Timeout 500ms exceeded.',
        'Call log:',
        "\u001b[2m  - waiting for getByText('It is') to be visible\u001b[22m",
        '',
        '    at press (/root/support/b.ts:9:1)',
        '    at /root/a.test.ts:3:104',
      ].join('\n'),
    ],
  });
  expect(summary([torn], '/root')[0]).toBe(
    "FAILED a.test.ts: late: locator.waitFor: Timeout 500ms exceeded. (waiting for getByText('It is') to be visible, line 3)",
  );
});

test('an error outside of tests fails the run, also when all files that failed pass alone', () => {
  const alone = run({ '/root/a.test.ts': { early: 'passed', late: 'passed' } });
  for (const [one, two] of [
    [{ ...first, outside: ['Error: torn'] }, alone],
    [first, { ...alone, code: 1, outside: ['Error: torn'] }],
  ] satisfies [TestRun, TestRun][]) {
    const both = together(one, two);
    expect(both).toMatchObject({ code: 1, faults: ['/root/a.test.ts: late: Error: torn'] });
    const failure = 'FAILED outside of tests: Error: torn';
    expect(summary([both], '/root').slice(1)).toEqual([
      failure,
      '3 passed, 1 failed, 1 skipped, 1 passed only the second time',
    ]);
  }
});

test('nothing runs again when many files failed, when no file is to blame, or without a report', () => {
  const names = ['a', 'b', 'c', 'd'];
  expect(filesToRunAgain(run(Object.fromEntries(names.map((name) => [name, { x: 'failed' }]))))).toEqual([]);
  expect(filesToRunAgain(run({ a: { x: 'passed' } }, 1))).toEqual([]);
  expect(filesToRunAgain({ code: 1, report: undefined, outside: [] })).toEqual([]);
});

test('a file whose tests could not run and a run without a report are failures', () => {
  const broken = {
    name: '/root/c.test.ts',
    status: 'failed',
    message: 'no such module',
    ...{ startTime: 0, endTime: 0 },
    assertionResults: [],
  };
  const runs = [
    { code: 1, report: { testResults: [broken] }, outside: [] },
    { code: 1, report: undefined, outside: [] },
  ];
  expect(summary(runs, '/root')).toEqual(['FAILED c.test.ts: no such module', '0 passed, 2 failed']);
});

test('the files that took longest are listed, the longest of all runs first', () => {
  const names = Array.from({ length: 15 }, (_, index) => `/root/${index}.test.ts`);
  const tests = Object.fromEntries(names.map((name) => [name, { x: 'passed' }]));
  const seconds = names.map((_, index) => index + 0.25);
  const lines = dearest(
    [run(tests, 0, seconds), run({ '/root/long.test.ts': { x: 'passed' } }, 0, [99])],
    '/root',
  );
  expect(lines.slice(0, 2)).toEqual(['  99.0 s long.test.ts', '  14.3 s 14.test.ts']);
  expect(dearest([run(tests, 0, seconds), run(tests, 0, seconds)], '/root')).toHaveLength(20);
});

test('a file over its budget is listed, and fails the run only where no busy machine explains it', () => {
  const files = { '/root/a.test.ts': { x: 'passed' }, '/root/b.test.ts': { x: 'passed' } };
  const within = overBudget([run(files, 0, [250, 99])], '/root');
  expect(within).toEqual({ lines: ['OVER BUDGET a.test.ts: more than 100 s'], isExceeded: false });
  const beyond = overBudget([run(files, 0, [250, 301])], '/root');
  expect(beyond.lines[0]).toBe('TOO LONG b.test.ts: more than 100 s');
  expect(beyond.isExceeded).toBe(true);
});
