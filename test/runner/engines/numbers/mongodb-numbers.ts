/** Numbers of MongoDB that some layer could round. */
import type { NumbersFixture } from './numbers-contract.ts';

export const mongodbNumbers: NumbersFixture = {
  table: 'test.numbers',
  key: '_id',
  kept: [
    {
      ...{
        _id: { $numberLong: '9007199254740992' },
        v: { $numberDecimal: '0.1234567890123456789012345678901234' },
      },
      inner: { d: 0.1 + 0.2, list: [{ $numberLong: '9223372036854775807' }, { $numberDouble: '-0.0' }] },
    },
    {
      ...{ _id: { $numberLong: '9007199254740993' }, v: { $numberDouble: 'NaN' } },
      inner: { d: 5e-324, list: [{ $numberLong: '-9223372036854775808' }, -2_147_483_648] },
    },
    {
      ...{
        _id: { $numberDecimal: '-0' },
        v: { $numberDecimal: '9.999999999999999999999999999999999E+6144' },
      },
      inner: {
        d: { $numberDouble: '-Infinity' },
        list: [{ $numberDouble: '1.7976931348623157e+308' }, { $numberDecimal: 'NaN' }],
      },
    },
  ],
  refused: [
    { v: 2 ** 53 },
    { v: { $numberInt: '4294967297' } },
    { v: { $numberLong: '9223372036854775808' } },
    { v: { $numberLong: '1.5' } },
    { v: { $numberDouble: '9007199254740993' } },
    { v: { $numberDouble: '1e400' } },
    { v: { $numberDouble: '1e-400' } },
    { v: { $numberDouble: 'x' } },
    { v: { $numberDecimal: '0.12345678901234567890123456789012345' } },
    { v: { $numberDecimal: '1e7000' } },
    { inner: { list: [{ $numberInt: '2147483648' }] } },
    { _id: { $numberLong: '-9223372036854775809' } },
  ],
  query: {
    text: '{"aggregate": "people", "pipeline": [{"$match": {"_id": 1}}, {"$project": {"_id": 0, "l": {"$literal": {"$numberLong": "9007199254740993"}}, "d": {"$literal": 0.30000000000000004}}}]}',
    rows: [{ l: { $numberLong: '9007199254740993' }, d: 0.1 + 0.2 }],
  },
  refusedQueries: [
    '{"find": "people", "filter": {"_id": 0.1234567890123456789}}',
    '{"find": "people", "filter": {"_id": 9007199254740993}}',
    '{"find": "people", "filter": {"_id": 1e400}}',
    '{"find": "people", "filter": {"_id": -0}}',
    '{"find": "people", "filter": {"_id": {"$numberInt": "4294967297"}}}',
    '{"delete": "people", "deletes": [{"q": {"_id": 1}, "q": {}, "limit": 0}]}',
  ],
};
