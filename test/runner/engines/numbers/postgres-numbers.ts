/** Numbers of PostgreSQL that some layer could round. */
import type { NumbersFixture } from './numbers-contract.ts';

export const postgresNumbersSchema = `
  CREATE DOMAIN price AS numeric(10,2);
  CREATE TABLE numbers (id numeric(40,10) PRIMARY KEY, f4 real, f8 double precision, n numeric, d numeric(10,2), b bigint,
    j jsonb, t json, list numeric(6,2)[], floats real[], p price);
`;

export const postgresNumbers: NumbersFixture = {
  table: 'public.numbers',
  key: 'id',
  kept: [
    {
      id: '123456789012345678901234567890.0000000001',
      f4: 0.1,
      f8: 0.1 + 0.2,
      n: '1234567890123456789012345678901234567890.123456789012345678901234567890',
      d: '12345678.90',
      b: '9223372036854775807',
      j: '{"a": 12345678901234567890, "b": 0.1234567890123456789}',
      t: '{"a":1e400,"a":-0}',
      list: ['1.25', '2.00'],
      floats: [0.1, 16_777_216],
      p: '9.99',
    },
    {
      id: '123456789012345678901234567890.0000000002',
      f4: 'NaN',
      f8: '-Infinity',
      n: 'NaN',
      d: '-0.01',
      b: '-9223372036854775808',
      j: { a: [0.5, { b: 9_007_199_254_740_991 }] },
      t: { a: 1 },
      list: [],
      floats: ['Infinity', '-0'],
      p: null,
    },
    {
      ...{ id: '0.0000000001', f4: 3.4028235e38, f8: 5e-324, n: '1.50', d: '0.00', b: '0' },
      ...{ j: null, t: null, list: null, floats: null, p: null },
    },
    {
      ...{
        id: '0.0000000002',
        f4: 1e-45,
        f8: Number.MAX_VALUE,
        n: '-Infinity',
        d: null,
        b: '9007199254740993',
      },
      ...{ j: '[9007199254740993, 0.12345678901234567890123456789012345678]', t: '{"a":-1e-400}' },
      ...{ list: null, floats: [1.1754944e-38, null], p: null },
    },
  ],
  refused: [
    { f4: 16_777_217 },
    { f4: '0.123456789' },
    { f8: '9007199254740993' },
    { f8: '0.1234567890123456789' },
    { f8: '1e400' },
    { f8: '1e-400' },
    { d: 1.239 },
    { d: '1e-3' },
    { d: '123456789' },
    { b: 2 ** 53 },
    { b: '9223372036854775808' },
    { n: 1e22 },
    { list: [1, 1.239] },
    { list: '{1.00,1.239}' },
    { floats: [16_777_217] },
    { p: '0.001' },
    { id: '0.00000000001' },
  ],
  query: {
    text: `SELECT 9007199254740993 AS big, 0.1::float8 + 0.2::float8 AS sum, 0.123456789012345678901234567890 AS n,
      '{"a": 9007199254740993}'::jsonb AS j, '-0'::float8 AS zero, 16777216::real AS f, '{9007199254740993}'::int8[] AS list`,
    rows: [
      {
        ...{ big: '9007199254740993', sum: 0.1 + 0.2, n: '0.123456789012345678901234567890' },
        ...{ j: '{"a": 9007199254740993}', zero: '-0', f: 16_777_216, list: ['9007199254740993'] },
      },
    ],
  },
};
