import { expect, test } from 'vitest';
import { printable, table } from '../../../cli/base/output.ts';

const esc = '\u001b';

test('lines of apps cannot steer the terminal; colours stay where they are seen', () => {
  const line = `${esc}[31mred${esc}[0m${esc}]0;title\u0007${esc}[2J a\r\tb\u009b1A`;
  expect(printable(line, false)).toBe('red a\tb');
  expect(printable(line, true)).toBe(`${esc}[31mred${esc}[0m a\tb`);
});

test('columns are aligned by what is seen', () => {
  const green = `${esc}[32mok${esc}[39m`;
  expect(
    table(
      ['A', 'B'],
      [
        [green, '1'],
        ['longer', '2'],
      ],
      'none',
    ),
  ).toBe(`A       B\n${green}      1\nlonger  2`);
  expect(table(['A'], [], 'none')).toBe('none');
});
