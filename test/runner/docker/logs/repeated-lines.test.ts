/** Lines that Docker sends twice at the beginning of a new file of its log. */
import { expect, test } from 'vitest';
import { RepeatedLines } from '../../../../runner/docker/logs/repeated-lines.ts';

type Line = readonly [at: number, nanoseconds: number, text: string];
const second = 1_764_000_000_000_000;
/** Lines that are 300 ns apart, several in each microsecond. */
const lines = (count: number, from = 0): Line[] =>
  Array.from({ length: count }, (_, index) => {
    const nanoseconds = (from + index) * 300 + 100;
    return [second + Math.floor(nanoseconds / 1_000), nanoseconds % 1_000, `line ${from + index}`];
  });

/** The texts that are left. */
function left(sent: readonly Line[]): string[] {
  const repeated = new RepeatedLines();
  return sent.filter((line) => !repeated.isRepeated(...line)).map(([, , text]) => text);
}

const texts = (all: readonly Line[]) => all.map(([, , text]) => text);

test.each([
  ['one line', 199],
  ['fifty lines', 150],
  ['as many lines as came before', 0],
])('%s that come again are left out once, and what follows is not', (_, begin) => {
  const all = lines(400);
  expect(left([...all.slice(0, 200), ...all.slice(begin)])).toEqual(texts(all));
});

test('lines that come again twice, of two files, are left out', () => {
  const all = lines(60_000);
  const sent = [...all.slice(0, 30_000), ...all.slice(29_000, 50_000), ...all.slice(49_500)];
  expect(left(sent)).toEqual(texts(all));
});

test('lines are new after a clock was set back', () => {
  const later = lines(100, 1_000);
  const earlier = lines(100, 500);
  expect(left([...later, ...earlier])).toEqual(texts([...later, ...earlier]));
});

test('equal lines with equal times of a clock that counts microseconds are new', () => {
  const same: Line[] = [
    [second, 0, '.'],
    [second, 0, '.'],
  ];
  expect(left(same)).toEqual(['.', '.']);
});
