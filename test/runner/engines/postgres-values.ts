/** Every type of PostgreSQL that a driver may bend, as a table. */
import type { EngineFixture } from './engine-contract.ts';

/** Column, type, and what is stored as SQL beside what is read; each in a row of values, one of specials, and one of NULLs. */
const values: [name: string, type: string, stored: [string, string], read: [unknown, unknown]][] = [
  ['small', 'smallint', ['-32768', '32767'], [-32768, 32767]],
  ['whole', 'integer', ['2147483647', '-0'], [2147483647, 0]],
  [
    'big',
    'bigint',
    ['9223372036854775807', '-9007199254740993'],
    ['9223372036854775807', '-9007199254740993'],
  ],
  [
    'precise',
    'numeric',
    ['123456789012345678901234567890.123456789', "'NaN'"],
    ['123456789012345678901234567890.123456789', 'NaN'],
  ],
  ['price', 'numeric(10,2)', ['1.50', '0'], ['1.50', '0.00']],
  ['short_float', 'real', ['0.1', "'Infinity'"], [0.1, 'Infinity']],
  ['float', 'double precision', ['0.1::float8 + 0.2::float8', "'NaN'"], [0.30000000000000004, 'NaN']],
  ['zero', 'double precision', ["'-0'", "'-Infinity'"], ['-0', '-Infinity']],
  ['flag', 'boolean', ['true', 'false'], [true, false]],
  ['words', 'text', ["E'a\\nb\\t\"\\\\ '' ☃ 𝄞'", "''"], ['a\nb\t"\\ \' ☃ 𝄞', '']],
  ['code', 'character varying(20)', ["'NULL'", "'null'"], ['NULL', 'null']],
  ['padded', 'character(5)', ["'ab'", "''"], ['ab   ', '     ']],
  ['bytes', 'bytea', ["'\\x00ff10'", "''"], ['\\x00ff10', '\\x']],
  [
    'at',
    'timestamp without time zone',
    ["'2026-02-28 23:59:59.123456'", "'infinity'"],
    ['2026-02-28T23:59:59.123456', 'infinity'],
  ],
  [
    'at_zone',
    'timestamp with time zone',
    ["'2026-03-29 02:30:00.000001+05:30'", "'-infinity'"],
    ['2026-03-28T21:00:00.000001Z', '-infinity'],
  ],
  [
    'seconds',
    'timestamp(0) without time zone',
    ["'9999-12-31 23:59:59'", "'0044-03-15 12:00:00 BC'"],
    ['9999-12-31T23:59:59', '0044-03-15 12:00:00 BC'],
  ],
  ['day', 'date', ["'2026-01-31'", "'0044-03-15 BC'"], ['2026-01-31', '0044-03-15 BC']],
  ['clock', 'time without time zone', ["'23:59:59.999999'", "'24:00:00'"], ['23:59:59.999999', '24:00:00']],
  [
    'clock_zone',
    'time with time zone',
    ["'01:02:03+04:30'", "'00:00-12'"],
    ['01:02:03+04:30', '00:00:00-12'],
  ],
  [
    'span',
    'interval',
    ["'1 year 2 mons 3 days 04:05:06.789'", "'-1 day'"],
    ['1 year 2 mons 3 days 04:05:06.789', '-1 days'],
  ],
  [
    'unique_id',
    'uuid',
    ["'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", "'00000000-0000-0000-0000-000000000000'"],
    ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '00000000-0000-0000-0000-000000000000'],
  ],
  [
    'document',
    'jsonb',
    [`'{"a": [1, 2.50, null, {"b": "x:y"}]}'`, `'{"id": 9007199254740993}'`],
    [{ a: [1, 2.5, null, { b: 'x:y' }] }, '{"id": 9007199254740993}'],
  ],
  ['text_document', 'json', [`'{"a":1,"a":2}'`, `'{"e":1.0e2}'`], ['{"a":1,"a":2}', { e: 100 }]],
  ['any_document', 'jsonb', [`'"text"'`, "'null'"], ['"text"', 'null']],
  ['documents', 'jsonb[]', [`ARRAY['[1,2]','"a"',NULL]::jsonb[]`, "'{}'"], [[[1, 2], '"a"', null], []]],
  [
    'ints',
    'integer[]',
    ["'{{1,2},{3,NULL}}'", "'[2:3]={1,2}'"],
    [
      [
        [1, 2],
        [3, null],
      ],
      '[2:3]={1,2}',
    ],
  ],
  ['bigs', 'bigint[]', ["'{9223372036854775807}'", "'{}'"], [['9223372036854775807'], []]],
  [
    'texts',
    'text[]',
    [`ARRAY['a,b','"','\\','{}','NULL',NULL,'']`, "'{x y}'"],
    [['a,b', '"', '\\', '{}', 'NULL', null, ''], ['x y']],
  ],
  [
    'moments',
    'timestamp with time zone[]',
    ["'{2026-01-01 00:00:00+00}'", "'{infinity}'"],
    [['2026-01-01T00:00:00Z'], ['infinity']],
  ],
  ['mood', 'mood', ["'o''k'", "'sad'"], ["o'k", 'sad']],
  ['moods', 'mood[]', ["ARRAY['sad','o''k']::mood[]", "'{}'"], [['sad', "o'k"], []]],
  ['positive', 'positive', ['7', '1'], [7, 1]],
  ['pair', 'pair', [`ROW(1, 'a "b"')`, 'ROW(NULL, NULL)'], ['(1,"a ""b""")', '(,)']],
  [
    'span_of_ints',
    'int8range',
    ["'[1,9223372036854775807)'", "'empty'"],
    ['[1,9223372036854775807)', 'empty'],
  ],
  ['spans', 'nummultirange', ["'{[1.5,2],(3,4)}'", "'{}'"], ['{[1.5,2],(3,4)}', '{}']],
  ['place', 'point', ["'(1.5,-2)'", "'(0,0)'"], ['(1.5,-2)', '(0,0)']],
  ['boxes', 'box[]', ["'{(2,2),(1,1);(4,4),(3,3)}'", "'{}'"], ['{(2,2),(1,1);(4,4),(3,3)}', '{}']],
  ['shape', 'polygon', ["'((0,0),(1,0),(1,1))'", "'((0,0))'"], ['((0,0),(1,0),(1,1))', '((0,0))']],
  ['net', 'cidr', ["'10.0.0.0/8'", "'::/0'"], ['10.0.0.0/8', '::/0']],
  ['address', 'inet', ["'192.168.0.1/24'", "'::1'"], ['192.168.0.1/24', '::1']],
  ['bits', 'bit(4)', ["B'1010'", "B'0000'"], ['1010', '0000']],
  ['lexemes', 'tsvector', ["'fat cat'::tsvector", "''"], ["'cat' 'fat'", '']],
  ['object', 'oid', ['4294967295', '0'], [4294967295, 0]],
];
const awkwardRow = (id: number, place: 0 | 1 | undefined) =>
  Object.fromEntries([
    ['id', id],
    ...values.map(([name, , , read]) => [name, place === undefined ? null : read[place]]),
  ]);

export const awkwardColumns = [
  { name: 'id', type: 'integer', primary: true },
  ...values.map(([name, type]) => ({ name, type, primary: false })),
];
export const awkwardRows = [
  awkwardRow(1, 0),
  awkwardRow(2, 1),
  awkwardRow(3, undefined),
] as EngineFixture['awkward']['rows'];

export const awkwardSchema = `
  CREATE TYPE mood AS ENUM ('sad', 'o''k');
  CREATE DOMAIN positive AS int CHECK (VALUE > 0);
  CREATE TYPE pair AS (a int, b text);
  CREATE TABLE awkward (id int PRIMARY KEY, ${values.map(([name, type]) => `${name} ${type}`).join(', ')});
  INSERT INTO awkward VALUES (1, ${values.map(([, , stored]) => stored[0]).join(', ')});
  INSERT INTO awkward VALUES (2, ${values.map(([, , stored]) => stored[1]).join(', ')});
  INSERT INTO awkward (id) VALUES (3);
`;
