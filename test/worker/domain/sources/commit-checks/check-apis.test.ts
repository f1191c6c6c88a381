/** The words of git hosts for the state of a check, each as its documentation lists them. */
import { expect, test } from 'vitest';
import { apiOfHost, checkApis } from '../../../../../worker/domain/sources/commit-checks/check-apis.ts';
import {
  type Check,
  gapMs,
  verdictOf,
} from '../../../../../worker/domain/sources/commit-checks/commit-checks.ts';
import type { StatusApi } from '../../../../../worker/domain/sources/commit-status/status-apis.ts';

const place = { host: 'git.example.com', repository: 'team/app', sha: 'a'.repeat(40) };
const read = (api: StatusApi, list: number, body: unknown) =>
  checkApis[api].lists(place)[list]?.read(body).checks[0]?.result;

const run = (status: string, conclusion: string | null) => ({
  check_runs: [{ name: 'x', status, conclusion }],
});

test.each([
  ...['queued', 'in_progress', 'waiting', 'requested', 'pending', 'a new word'].map(
    (status) => [status, null, 'pending'] as const,
  ),
  ...['success', 'neutral', 'skipped'].map((conclusion) => ['completed', conclusion, 'green'] as const),
  ...[
    'failure',
    'cancelled',
    'timed_out',
    'action_required',
    'stale',
    'startup_failure',
    'a new word',
    null,
  ].map((conclusion) => ['completed', conclusion, 'red'] as const),
])('GitHub: a check run that is %s with %s is %s', (status, conclusion, result) => {
  expect(read('github', 0, run(status, conclusion))).toBe(result);
});

test.each([
  ['success', 'green'],
  ['pending', 'pending'],
  ['failure', 'red'],
  ['error', 'red'],
  ['a new word', 'red'],
])('GitHub: a status that is %s is %s', (state, result) => {
  expect(read('github', 2, { statuses: [{ context: 'x', state }] })).toBe(result);
});

test.each([
  ...[
    'created',
    'waiting_for_resource',
    'waiting_for_callback',
    'preparing',
    'pending',
    'running',
    'scheduled',
    'manual',
    'canceling',
  ].map((status) => [status, false, 'pending'] as const),
  ...['success', 'skipped'].map((status) => [status, false, 'green'] as const),
  ...['failed', 'canceled', 'a new word'].map((status) => [status, false, 'red'] as const),
  ...['failed', 'canceled', 'manual', 'success'].map((status) => [status, true, 'green'] as const),
  ...['running', 'created'].map((status) => [status, true, 'pending'] as const),
])('GitLab: a job that is %s and allowed to fail: %s, is %s', (status, allow_failure, result) => {
  expect(read('gitlab', 0, [{ name: 'x', status, allow_failure }])).toBe(result);
});

test.each([
  ['success', 'green'],
  ['skipped', 'green'],
  ['pending', 'pending'],
  ['warning', 'red'],
  ['failure', 'red'],
  ['error', 'red'],
  ['a new word', 'red'],
])('Gitea and Forgejo: a status that is %s is %s', (status, result) => {
  expect(read('gitea', 0, { statuses: [{ context: 'x', status }] })).toBe(result);
});

test.each([
  ['SUCCESSFUL', 'green'],
  ['INPROGRESS', 'pending'],
  ['STOPPED', 'red'],
  ['FAILED', 'red'],
  ['a new word', 'red'],
])('Bitbucket: a status that is %s is %s', (state, result) => {
  expect(read('bitbucket', 0, { values: [{ key: 'x', state }] })).toBe(result);
});

test('statuses of Longshore are left out by their name, at Bitbucket also by their key', () => {
  const own = 'longshore/shop/web';
  expect(read('github', 2, { statuses: [{ context: own, state: 'pending' }] })).toBeUndefined();
  expect(read('gitlab', 0, [{ name: own, status: 'pending' }])).toBeUndefined();
  expect(read('gitea', 0, { statuses: [{ context: own, status: 'pending' }] })).toBeUndefined();
  expect(
    read('bitbucket', 0, { values: [{ key: own, name: 'renamed', state: 'INPROGRESS' }] }),
  ).toBeUndefined();
});

test('only public git hosts have a known API', () => {
  expect(
    ['github.com', 'acme.ghe.com', 'gitlab.com', 'bitbucket.org', 'codeberg.org', 'git.example.com'].map(
      apiOfHost,
    ),
  ).toEqual([...['github', 'github', 'gitlab', 'bitbucket', 'gitea', undefined]]);
});

const check = (result: Check['result'], name = 'build'): Check => ({ name, state: result, result });

test('one red check decides, however many are open or green', () => {
  const checks = [check('green'), check('pending', 'lint'), check('red', 'test')];
  expect(verdictOf(checks, 0)).toEqual({
    deploys: false,
    state: 'failed',
    detail: 'Not deployed: the check test (red).',
  });
});

test('a sentence names three checks, shortened and without control characters', () => {
  const names = ['a\u0007b', 'x'.repeat(100), '', 'd', 'e'];
  const { detail } = verdictOf(
    names.map((name) => check('pending', name)),
    0,
  ) as { detail: string };
  expect(detail).toBe(
    `Waits for the checks a b (pending), ${'x'.repeat(60)} (pending),  (pending) and 2 more.`,
  );
});

test.each([
  [0, 20_000],
  [300_000, 60_000],
  [3_600_000, 300_000],
])('%s ms after a push the next look is %s ms later', (age, gap) => {
  expect(gapMs(age)).toBe(gap);
});
