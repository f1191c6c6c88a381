import { expect, test } from 'vitest';
import { isReserved, withServiceRange } from '../../../local/setup/reserve-ports.ts';

test.each([
  ['', false],
  ['\n', false],
  ['8080,9000-9100\n', false],
  ['41000-44999,45000-47999\n', false],
  ['41000-48999\n', true],
  ['80,40000-50000\n', true],
])('%j holds the whole range of services: %s', (setting, expected) => {
  expect(isReserved(setting)).toBe(expected);
});

test('what was reserved before stays reserved', () => {
  expect(withServiceRange('\n')).toBe('41000-48999');
  expect(withServiceRange('8080,9000-9100\n')).toBe('8080,9000-9100,41000-48999');
  expect(isReserved(withServiceRange('8080\n'))).toBe(true);
});
