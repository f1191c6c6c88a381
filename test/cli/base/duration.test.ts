import { expect, test } from 'vitest';
import { secondsOf } from '../../../cli/base/duration.ts';

test.each([
  ['90', 90],
  ['30s', 30],
  ['10m', 600],
  ['2h', 7_200],
  ['7d', 604_800],
  ['0', 0],
  ['3650d', 315_360_000],
])('%s is %i seconds', (input, seconds) => {
  expect(secondsOf(input)).toBe(seconds);
});

test.each(['', 'm', '1.5h', '-1m', '5w', '10 m', '1h30m', 'soon'])('"%s" is no duration', (input) => {
  expect(() => secondsOf(input)).toThrow(`"${input}" is not a duration. Examples: 30s, 10m, 2h, 1d`);
});

test('a duration that no date can reach is refused', () => {
  for (const input of ['3651d', '999999999d', '999999999'])
    expect(() => secondsOf(input)).toThrow('too long');
});
