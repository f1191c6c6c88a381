import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arrayText, parseArray } from '../../../../runner/engines/postgres/array-text.ts';

test('written arrays are read back unchanged, at every depth and with every character', {
  tags: 'slow',
}, () => {
  const element = fc.option(fc.string({ unit: 'binary' }));
  const list = fc.oneof(fc.array(element), fc.array(fc.array(element, { minLength: 1 }), { minLength: 1 }));
  fc.assert(
    fc.property(list, (value) => {
      const text = arrayText(value, (one) => one as string | null);
      expect(parseArray(text, (one) => one)).toEqual(value);
    }),
  );
});

test('an array with bounds that a list cannot express stays text', () => {
  expect(parseArray('[0:1]={1,2}', Number)).toBe('[0:1]={1,2}');
});
