import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assignment, compare, readEnvFile, writeEnvFile } from '../../../cli/variables/env-file.ts';

test('a written file is read back as the same values, or refused by the name of the variable', () => {
  const key = fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,8}$/);
  const value = fc.oneof(fc.string(), fc.stringMatching(/^[ "'`#=\\n\n$a]{0,8}$/));
  fc.assert(
    fc.property(fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true }), (values) => {
      let text: string;
      try {
        text = writeEnvFile(values);
      } catch (error) {
        expect((error as Error).message).toMatch(/^The value of [A-Z0-9_]+ contains/);
        return;
      }
      expect(readEnvFile(text, 'file')).toEqual(values);
    }),
    { numRuns: 300 },
  );
});

test('a file with a name that no variable can have is refused by that name', () => {
  expect(() => readEnvFile('A=1\nlogLevel=info\n', '.env')).toThrow('.env: logLevel cannot be used');
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
