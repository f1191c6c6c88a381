import { expect, test } from 'vitest';
import { assignment, compare, readEnvFile } from '../../../cli/variables/env-file.ts';

test('a file is refused with the line that can not be read, and with a name that no variable can have', () => {
  expect(() => readEnvFile('A=1\nlogLevel=info\n', '.env')).toThrow(
    '.env can\'t be read: line 2 has the key "logLevel"',
  );
  // Node reads the last of both in silence.
  expect(() => readEnvFile('A=1\nA=2\n', '.env')).toThrow('line 2 repeats A: give each key once');
});

test('a comparison names what is added, changed and missing', () => {
  expect(compare({ A: '1', B: '2', C: '' }, { B: '3', C: '', D: '4' })).toEqual({
    added: ['A'],
    changed: ['B'],
    missing: ['D'],
  });
});

test('an assignment keeps every "=" of its value, and needs a name', () => {
  expect(assignment('URL=a=b=')).toEqual(['URL', 'a=b=']);
  for (const wrong of ['URL', '=x']) expect(() => assignment(wrong)).toThrow('is not KEY=VALUE');
});
