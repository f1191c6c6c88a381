import fc from 'fast-check';
import { expect, test } from 'vitest';
import { arrayText, parseArray } from '../../../../runner/engines/postgres/array-text.ts';

test('what is written is read as it was, in every depth and with every character', () => {
  const element = fc.option(fc.string({ unit: 'binary' }));
  const list = fc.oneof(fc.array(element), fc.array(fc.array(element, { minLength: 1 }), { minLength: 1 }));
  fc.assert(
    fc.property(list, (value) => {
      const text = arrayText(value, (one) => one as string | null);
      expect(parseArray(text, (one) => one)).toEqual(value);
    }),
  );
});

test('bounds that a list can not say leave the text', () => {
  expect(parseArray('[0:1]={1,2}', Number)).toBe('[0:1]={1,2}');
});
