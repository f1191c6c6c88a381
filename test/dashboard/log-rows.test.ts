/** What a log shows: levels of lines, parts of a deployment, and places of wrapped rows. */
import { expect, test } from 'vitest';
import type { Line } from '../../dashboard/log/line.ts';
import { rowPlaces } from '../../dashboard/log/row-places.ts';
import { shownLevelOf as levelOf } from '../../dashboard/log/shown-level.ts';
import { stepsOf } from '../../dashboard/pages/service/deployment/phases.ts';
import { presentable } from '../../runner/job-log/presentable-line.ts';
import { secretMask } from '../../runner/job-log/secret-mask.ts';
import { oddLines } from '../support/real-world/odd-output.ts';

const line = (text: string, id = 1, stream: Line['stream'] = 'stdout'): Line => ({
  id,
  line: text,
  stream,
  createdAt: '2026-11-26T10:00:00.000Z',
});

test.each([
  ['npm ERR! code ENOENT', 'error'],
  ['npm error code ENOENT', 'error'],
  ['src/a.ts(3,5): error TS2322: Type', 'error'],
  ['error[E0425]: cannot find value', 'error'],
  ['TypeError: x is not a function', 'error'],
  ['Failed to compile.', 'error'],
  ['[ERROR] Failed to execute goal', 'error'],
  ['\u001b[31mERROR\u001b[0m in ./src', 'error'],
  ['2026-01-01T10:00:00Z ERROR boom', 'error'],
  ['npm warn deprecated left-pad@1.0.0', 'warning'],
  ['#12 5.123 npm warn old lockfile', 'warning'],
  ['(node:12) [DEP0005] DeprecationWarning: Buffer()', 'warning'],
  ['WARNING: Running pip as root', 'warning'],
  ['0 errors, 0 warnings', 'other'],
  ['Found 0 errors.', 'other'],
  ['step error handling added to parser', 'other'],
  ['Copying error.html', 'other'],
  ['Installing errors-lib', 'other'],
])('the line %j is of the level %s', (text, level) => {
  expect(levelOf(line(text))).toBe(level);
});

test.each(oddLines.filter(({ cut }) => !cut))(
  '$is has the level in a log of the dashboard that it has elsewhere',
  (odd) => {
    const shown = presentable({ text: odd.bytes.toString(), cut: false }, secretMask([]));
    const names = { error: 'error', warn: 'warning', info: 'other' } as const;
    expect(levelOf(line(shown))).toBe(odd.level ? names[odd.level] : 'other');
  },
);

test('the end of a phase that failed is an error only where the platform says it', () => {
  expect(levelOf(line('build: ended after 3.0 s', 1, 'system'))).toBe('error');
  expect(levelOf(line('build: ended after 3.0 s'))).toBe('other');
});

test('each phase has the lines up to its own end, and the one that runs has the rest', () => {
  const lines = [
    line('cloning', 1),
    line('clone: done in 0.1 s', 2, 'system'),
    line('npm ci', 3),
    line('build: done in 9.0 s', 4),
    line('more', 5),
  ];
  expect(stepsOf(lines)).toEqual([
    { name: 'clone', from: 0, to: 2 },
    { name: 'build', from: 2, to: 5 },
  ]);
  expect(stepsOf([])).toEqual([]);
});

test('wrapped rows are as high as their text, and one is found at each of its pixels', () => {
  const rows = [line('x'.repeat(10), 1), line('x'.repeat(11), 2), line('', 3), line('漢'.repeat(8), 4)];
  const places = rowPlaces(rows, 10, new Map());
  expect([0, 1, 2, 3, 4].map(places.top)).toEqual([0, 20, 60, 80, 100]);
  expect([-5, 0, 19, 20, 59, 60, 79, 80, 500].map(places.at)).toEqual([0, 0, 0, 1, 1, 2, 2, 3, 4]);
  expect([0, 1, 2, 3].map(places.isGuess)).toEqual([false, false, false, true]);
  const measured = rowPlaces(rows, 10, new Map([[4, 2]]));
  expect([measured.top(4), measured.isGuess(3)]).toEqual([120, false]);
  expect([2, 4].map(rowPlaces(rows, undefined, new Map()).top)).toEqual([40, 80]);
});
