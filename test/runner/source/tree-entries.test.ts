import { expect, test } from 'vitest';
import { SourceBudget } from '../../../runner/source/source-budget.ts';
import { treeReader } from '../../../runner/source/tree-entries.ts';

const record = (path: string) => `100644 blob ${'a'.repeat(40)}       5\t${path}\0`;

test('files are read from pieces that end anywhere', () => {
  const reader = treeReader(new SourceBudget());
  for (const character of record('one') + record('two\nlines')) reader.take(character);
  expect(reader.entries.map(({ path, bytes }) => [path, bytes])).toEqual([
    ['one', 5],
    ['two\nlines', 5],
  ]);
});

test('a path of 200 MB, which git prints without an end, is refused at once', () => {
  const reader = treeReader(new SourceBudget());
  const piece = 'x'.repeat(64 * 1024);
  const from = performance.now();
  reader.take(record('fine') + record('').slice(0, -1));
  for (let sent = 0; sent < 200_000_000; sent += piece.length) reader.take(piece);
  expect(performance.now() - from).toBeLessThan(10_000); // a busy machine
  expect(reader.signal.reason).toMatchObject({ code: 'source_refused' });
});
