import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exactJson } from '../../../../runner/engines/exact-json.ts';

test.each([
  ['{"a": 1.50, "b": [1e2, -0.001, 0, 9007199254740992]}', { a: 1.5, b: [100, -0.001, 0, 9007199254740992] }],
  ['12', 12],
  ['true', true],
  ['[]', []],
  [
    '{"12345678901234567890": "12345678901234567890", "a:\\"b": ":"}',
    { '12345678901234567890': '12345678901234567890', 'a:"b': ':' },
  ],
])('a JSON document becomes a value where JavaScript holds it exactly: %s', (text, value) => {
  expect(exactJson(text)).toEqual(value);
});

test.each([
  ['an integer beyond 2^53', '{"a": [9007199254740993]}'],
  ['a fraction with more digits than a double', '0.1234567890123456789'],
  ['what is beyond a double', '[1e400]'],
  ['what a double takes for zero', '[1e-400]'],
  ['the negative zero', '[-0]'],
  ['a name that stands twice', '{"a": 1, "a": 2}'],
  ['a string, which could be taken for a document', '"{}"'],
  ['null, which could be taken for a missing value', 'null'],
  ['what is too deep for what reads it', `${'['.repeat(200)}${']'.repeat(200)}`],
])('a JSON document stays text for %s', (_, text) => {
  expect(exactJson(text)).toBe(text);
});

test('a JSON document that JavaScript wrote is read back unchanged', () => {
  const document = fc.oneof(
    fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })),
    fc.array(fc.jsonValue()),
  );
  fc.assert(
    fc.property(document, (value) => {
      const text = JSON.stringify(value);
      expect(JSON.stringify(exactJson(text))).toBe(text);
    }),
  );
});
