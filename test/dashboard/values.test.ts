import { expect, test } from 'vitest';
import { fileOf, rowJson } from '../../dashboard/pages/service/database/export/export.ts';
import {
  choicesOf,
  editedText,
  editorOf,
  hintOf,
  sentValue,
} from '../../dashboard/pages/service/database/values.ts';

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
  expect(() => sent('jsonb', '{"n": ')).toThrow(/not valid JSON/);
  expect(sent('text[]', '["a"]')).toEqual(['a']);
  expect(sent('text[]', '[2:3]={a,b}')).toBe('[2:3]={a,b}');
});

test.each([
  ['postgres', 'interval', 'text'],
  ['postgres', 'int4range', 'text'],
  ['postgres', 'integer[]', 'json'],
  ['postgres', 'boolean', 'choice'],
  ['postgres', 'bytea', 'bytes'],
  ['postgres', 'double precision', 'number'],
  ['mysql', "enum('json','integer','real')", 'choice'],
  ['mysql', "set('json','bool')", 'text'],
  ['mysql', 'bigint unsigned', 'number'],
  ['mysql', 'varbinary(20)', 'bytes'],
  ['mysql', 'point', 'text'],
  ['clickhouse', 'Nullable(Bool)', 'choice'],
  ['clickhouse', "LowCardinality(Nullable(Enum8('a' = 1)))", 'choice'],
  ['clickhouse', 'Nullable(Int256)', 'number'],
  ['clickhouse', 'Array(Nullable(String))', 'json'],
  ['clickhouse', 'LowCardinality(String)', 'text'],
  ['redis', 'integer', 'text'],
  ['mongodb', 'bool', 'json'],
] as const)('a column of %s with the type %s has the editor %s', (engine, type, editor) => {
  expect(editorOf(engine, { type })).toBe(editor);
});

test('the choices of a column are its labels as they are stored, whatever is in them', () => {
  const type = String.raw`enum('happy','it''s','a,b','x\\y','two\nlines','')`;
  expect(choicesOf({ type })).toEqual(['happy', "it's", 'a,b', String.raw`x\y`, 'two\nlines', '']);
  expect(choicesOf({ type: String.raw`Nullable(Enum16('it\'s' = -1, 'b' = 2))` })).toEqual(["it's", 'b']);
  expect(choicesOf({ type: 'Nullable(Bool)' })).toEqual(['true', 'false']);
  expect(sentValue('clickhouse', { type: 'Nullable(Bool)' }, 'false')).toBe(false);
  expect(sentValue('mysql', { type: "enum('json')" }, 'json')).toBe('json');
});

test('bytes are hexadecimal digits and never text, and times say whether they have a zone', () => {
  expect(sent('bytea', String.raw`\x00FF`)).toBe(String.raw`\x00FF`);
  expect(() => sent('bytea', 'abc')).toThrow(/hexadecimal/);
  expect(() => sent('bytea', String.raw`\x0`)).toThrow(/hexadecimal/);
  const zoned = hintOf('postgres', { type: 'timestamp with time zone' });
  expect(zoned).toMatch(/zone.*Z/);
  expect(hintOf('mysql', { type: 'timestamp' })).toBe(zoned);
  expect(hintOf('clickhouse', { type: "Nullable(DateTime64(6, 'UTC'))" })).toBe(zoned);
  const local = hintOf('mysql', { type: 'datetime(6)' });
  expect(local).toMatch(/Without a zone/);
  expect(hintOf('postgres', { type: 'timestamp without time zone' })).toBe(local);
  expect(hintOf('postgres', { type: 'time without time zone' })).toMatch(/12:30:00/);
  expect(hintOf('postgres', { type: 'text' })).toBe('');
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

const column = (name: string, type = 'text') => ({ name, type });

test('CSV tells NULL from an empty text and quotes what needs it', () => {
  const columns = [column('a'), column('b,c')];
  const rows = [
    { a: null, 'b,c': '' },
    { a: 'say "x"\n', 'b,c': { n: 1 } },
  ];
  expect(fileOf('csv', columns, rows)).toBe('a,"b,c"\r\n,""\r\n"say ""x""\n","{""n"":1}"\r\n');
});

test.each([
  ['=1+1', "'=1+1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['-cmd|calc', "'-cmd|calc"],
  ['\t=x', "'\t=x"],
  ['-9223372036854775808', '-9223372036854775808'],
  ['+1.5e-7', '+1.5e-7'],
  ['a=1', 'a=1'],
])('%j is exact in CSV, and no formula in the form for spreadsheets', (value, safe) => {
  expect(fileOf('csv', [column('v')], [{ v: value }])).toBe(`v\r\n${value}\r\n`);
  expect(fileOf('spreadsheet', [column('v')], [{ v: value }])).toBe(`v\r\n${safe}\r\n`);
});

test('JSON holds documents as they are stored, with every digit and every field', () => {
  const document = '{"a":1,"a":2, "n": 12345678901234567890123}';
  const row = { id: '9223372036854775807', doc: document, text: '{"a": 1}', none: null, absent: undefined };
  const columns = [
    column('id', 'bigint'),
    column('doc', 'json'),
    column('text'),
    column('none'),
    column('absent'),
  ];
  expect(fileOf('json', columns, [row, { id: '1' }])).toBe(
    `[\n{"id": "9223372036854775807", "doc": ${document}, "text": "{\\"a\\": 1}", "none": null},\n{"id": "1"}\n]\n`,
  );
  expect(JSON.parse(rowJson(columns, { id: '1', text: 'a\nb', none: [1, { x: '2' }] }, 2))).toEqual({
    ...{ id: '1', text: 'a\nb' },
    none: [1, { x: '2' }],
  });
  expect(JSON.parse(fileOf('json', columns, []))).toEqual([]);
});
