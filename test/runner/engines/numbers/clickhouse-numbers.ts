/** Numbers of ClickHouse that some layer could round. */
import type { NumbersFixture } from './numbers-contract.ts';

export const clickhouseNumbersTable = `CREATE TABLE numbers (
  id UInt256, f Float32, d Float64, n Decimal(40, 10), b UInt64, j JSON, list Array(Float64), big Array(Array(Nullable(UInt64))),
  m Map(Int8, Int64), t Tuple(a Int64, b Float32), price Map(String, Decimal(38, 10)), prices Array(Nullable(Decimal(76, 38))),
  mixed Tuple(\`a \\\` b\` Decimal(18, 2), c Array(Tuple(Float32, Map(String, Decimal(9, 1))))),
  seen SimpleAggregateFunction(groupArrayArray, Array(Decimal(20, 1)))
) ENGINE = MergeTree ORDER BY id`;

export const clickhouseNumbers: NumbersFixture = {
  table: 'app.numbers',
  key: 'id',
  kept: [
    {
      ...{ id: '115792089237316195423570985008687907853269984665640564039457584007913129639934', f: 0.1 },
      ...{ d: 0.1 + 0.2, n: '123456789012345678901234567890.0123456789', b: '18446744073709551615' },
      ...{
        j: { a: 0.1 + 0.2 },
        list: [5e-324, '-inf', '-0', 'nan', Number.MAX_VALUE, 2.2250738585072014e-308],
        big: [['18446744073709551615', null]],
        m: { '-5': '-9223372036854775808' },
        t: { a: '9007199254740993', b: 'inf' },
        price: { "it's": '1234567890123456789012345678.0123456789', b: '-0.0000000001' },
        prices: ['0.12345678901234567890123456789012345678', null, '9007199254740993'],
        seen: ['9007199254740993.1'],
        mixed: {
          'a ` b': '9999999999999999.99',
          c: [
            ['-0', { x: '0.1' }],
            [3.4028235e38, {}],
            [1e-45, {}],
          ],
        },
      },
    },
    {
      ...{ id: '115792089237316195423570985008687907853269984665640564039457584007913129639935', f: 'nan' },
      ...{
        d: '-0',
        n: '-0.0000000001',
        b: '9007199254740993',
        j: { a: 'x' },
        list: [],
        big: [],
        m: {},
        t: { a: '-1', b: 0.1 },
        price: {},
        prices: [],
        mixed: { 'a ` b': '0', c: [] },
        seen: [],
      },
    },
  ],
  refused: [
    { f: 16_777_217 },
    { f: '0.123456789' },
    { d: '9007199254740993' },
    { d: '1e400' },
    { d: '1e-400' },
    { n: '0.00000000001' },
    { n: 0.1234567890123456 },
    { b: '18446744073709551616' },
    { b: 2 ** 53 },
    { j: { a: [2 ** 53] } },
    { list: ['0.1234567890123456789'] },
    { price: { a: '0.00000000001' } },
    { price: { a: 0.1234567890123456 } },
    { price: { a: '1e30' } },
    { prices: [2 ** 53] },
    { seen: ['0.01'] },
    { mixed: { 'a ` b': '1.239', c: [] } },
    { mixed: { 'a ` b': '1', c: [[1, { x: '0.01' }]] } },
    { id: '-1' },
  ],
  query: {
    text: "SELECT toUInt64('9007199254740993') AS big, 0.1 + 0.2 AS sum, toDecimal128('0.1234567890123456789', 19) AS n, -0. AS zero, toFloat32(16777216) AS f",
    rows: [
      { big: '9007199254740993', sum: 0.1 + 0.2, n: '0.1234567890123456789', zero: '-0', f: 16_777_216 },
    ],
  },
};
