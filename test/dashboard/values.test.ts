import { expect, test } from 'vitest';
import { csvOf } from '../../dashboard/rooms/database/export.ts';
import { editedText, sentValue } from '../../dashboard/rooms/database/values.ts';

const sent = (type: string, text: string) => sentValue('postgres', { type }, text);

test('a number is sent as a number only while its digits stay what they are', () => {
  expect(sent('integer', '42')).toBe(42);
  expect(sent('numeric(30,10)', '9007199254740993.1234567891')).toBe('9007199254740993.1234567891');
  expect(sent('numeric(10,2)', '1.50')).toBe('1.50');
  expect(sent('bigint', '9007199254740993')).toBe('9007199254740993');
  expect(sent('integer', 'twelve')).toBe('twelve');
});

test('a JSON document is sent as its text, and what is none is refused', () => {
  expect(sent('jsonb', '{"n": 9007199254740993}')).toBe('{"n": 9007199254740993}');
  expect(() => sent('jsonb', '{"n": ')).toThrow(/not JSON/);
  expect(sent('text[]', '["a"]')).toEqual(['a']);
  expect(sent('text[]', '[2:3]={a,b}')).toBe('[2:3]={a,b}');
});

test('a value of a document that a double would round is refused with the way to write it', () => {
  const mongo = (text: string) => sentValue('mongodb', { type: 'int' }, text);
  expect(() => mongo('9007199254740993')).toThrow(/9007199254740993.*numberDecimal/);
  expect(() => mongo('{"a": [0.12345678901234567890]}')).toThrow(/rounded/);
  expect(mongo('{"$numberLong": "9007199254740993"}')).toEqual({ $numberLong: '9007199254740993' });
  expect(mongo('{"a": 0.1, "b": 1e21, "c": -2.5, "d": "9007199254740993"}')).toMatchObject({ a: 0.1 });
});

test('a text of a document keeps its quotes while it is edited', () => {
  expect(editedText('mongodb', '5')).toBe('"5"');
  expect(editedText('postgres', '5')).toBe('5');
  expect(sentValue('mongodb', { type: 'string' }, '"5"')).toBe('5');
});

test('CSV tells NULL from an empty text and quotes what needs it', () => {
  const columns = [{ name: 'a' }, { name: 'b,c' }];
  const rows = [
    { a: null, 'b,c': '' },
    { a: 'say "x"\n', 'b,c': { n: 1 } },
  ];
  expect(csvOf({ columns, rows })).toBe('a,"b,c"\r\n,""\r\n"say ""x""\n","{""n"":1}"\r\n');
});
