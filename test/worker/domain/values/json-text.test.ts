import fc from 'fast-check';
import { expect, test } from 'vitest';
import { depthMax, readJson } from '../../../../worker/domain/values/json-text.ts';

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

test('any JSON that is not too deep is read as JSON.parse does, however it is spaced', () => {
  const spaced = fc.tuple(fc.jsonValue({ maxDepth: 8, noUnicodeString: false }), fc.constantFrom(0, 1, '\t'));
  fc.assert(
    fc.property(spaced, ([value, indent]) => {
      const text = JSON.stringify(value, null, indent);
      fc.pre(!text.includes('__proto__'));
      expect(readJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test('brackets and quotes inside strings are text', () => {
  const value = { 'a"[{': ['}]"\\', '\\"[', '":'], b: '{'.repeat(50) };
  expect(readJson(JSON.stringify(value))).toEqual(value);
});

test('the depth is limited, of lists and objects together', () => {
  expect(readJson(nested(depthMax))).toEqual(JSON.parse(nested(depthMax)));
  expect(() => readJson(nested(depthMax + 1))).toThrow('deeper than 20');
  expect(() => readJson(`${'{"a":['.repeat(11)}${']}'.repeat(11)}`)).toThrow('deeper than 20');
  expect(() => readJson(nested(100_000))).toThrow('deeper than 20');
});

test.each([
  ['{"a":1,"a":2}', '"a" twice'],
  ['{"a":1,"\\u0061":2}', '"a" twice'],
  ['[{"b":{"a":1,"c":[],"a":2}}]', '"a" twice'],
  ['{"__proto__":{"admin":true}}', '"__proto__"'],
  ['{"x":{"\\u005f_proto__":1}}', '"__proto__"'],
  ['{"a":', 'not JSON'],
  ['{a:1}', 'not JSON'],
])('%s is refused', (text, reason) => {
  expect(() => readJson(text)).toThrow(reason);
});

test('members of the same name in different objects are allowed', () => {
  expect(readJson('[{"a":1},{"a":{"a":2}}]')).toEqual([{ a: 1 }, { a: { a: 2 } }]);
});

test('half of a surrogate pair is refused, in a value and in a name', () => {
  const half = String.raw`\ud83d`;
  expect(() => readJson(`{"a":["x${half}"]}`)).toThrow('The field "a" must be valid Unicode');
  expect(() => readJson(`{"${half}":1}`)).toThrow('must be valid Unicode');
  expect(() => readJson(`"${half}"`)).toThrow('The body must be valid Unicode');
  expect(readJson(String.raw`{"a":"\ud83d\ude00","b":"\\ud83d"}`)).toEqual({
    a: '😀',
    b: String.raw`\ud83d`,
  });
});

test.each([
  ['{"values":{"j":{"a":[1,12345678901234567]}}}', 'The field "values.j.a" has the number 12345678901234567'],
  ['{"values":{"d":0.1234567890123456789}}', 'The field "values.d" has the number 0.1234567890123456789'],
  ['{"a":{"b":1},"c":[{"d":"7"},1e400]}', 'The field "c" has the number 1e400'],
  ['{"a":-0}', '"a" has the number -0'],
])('%s is refused where numbers have to be exact, with the field and the way out', (text, reason) => {
  expect(() => readJson(text, { exactNumbers: true })).toThrow(reason);
  expect(() => readJson(text, { exactNumbers: true })).toThrow('as text, in quotes');
  expect(readJson(text)).toEqual(JSON.parse(text));
});

test('numbers that a double holds are read, however they are written', () => {
  const text = '[0.1,1.50,15e-1,1E3,9007199254740992,1.7976931348623157e308,5e-324,0,"12345678901234567"]';
  expect(readJson(text, { exactNumbers: true })).toEqual(JSON.parse(text));
});
