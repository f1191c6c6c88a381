/** Numbers of MySQL that some layer could round. */
import type { NumbersFixture } from './numbers-contract.ts';

export const mysqlNumbersTable =
  'CREATE TABLE numbers (id DECIMAL(40,10) PRIMARY KEY, f FLOAT, d DOUBLE, n DECIMAL(10,2), b BIGINT UNSIGNED, j JSON)';

export const mysqlNumbers: NumbersFixture = {
  table: 'app.numbers',
  key: 'id',
  kept: [
    {
      ...{ id: '123456789012345678901234567890.0000000001', f: 0.1, d: 0.1 + 0.2, n: '12345678.90' },
      ...{ b: '18446744073709551615', j: '{"a": 18446744073709551615, "b": -9223372036854775808}' },
    },
    {
      ...{ id: '123456789012345678901234567890.0000000002', f: 3.4028234e38, d: '-0', n: '-0.01' },
      ...{ b: '9007199254740993', j: { a: [0.1 + 0.2, 1e22, 5e-324] } },
    },
    {
      ...{ id: '-0.0000000001', f: 1.1754944e-38, d: Number.MAX_VALUE, n: '0.00', b: '0' },
      ...{ j: { a: [Number.MAX_VALUE, -2.2250738585072014e-308] } },
    },
  ],
  refused: [
    { f: 16_777_217 },
    { f: '0.123456789' },
    { d: '9007199254740993' },
    { d: '1e-400' },
    { n: 1.239 },
    { n: '1e-3' },
    { b: 2 ** 53 },
    { b: '18446744073709551616' },
    { j: '{"a": [0.1234567890123456789]}' },
    { j: '{"a": 18446744073709551617}' },
    { j: '{"a": -0}' },
    { id: '0.00000000001' },
  ],
  query: {
    text: `SELECT 9007199254740993 AS big, 0.1e0 + 0.2e0 AS sum, 0.123456789012345678901234567890 AS n, -0e0 AS zero,
      18446744073709551615 AS most, CAST('{"a": 9007199254740993}' AS JSON) AS j`,
    rows: [
      {
        ...{ big: '9007199254740993', sum: 0.1 + 0.2, n: '0.123456789012345678901234567890', zero: '-0' },
        ...{ most: '18446744073709551615', j: '{"a": 9007199254740993}' },
      },
    ],
  },
};
