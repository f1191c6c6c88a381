import { expect, test } from 'vitest';
import { pageStatement, readRowsOf } from '../../dashboard/pages/service/database/page-statement.ts';
import type { Engine, Filter, View } from '../../dashboard/pages/service/database/table-types.ts';

const columns = [
  { name: 'id', type: 'bigint', primary: true },
  { name: 'na"`\\me', type: 'text', primary: false },
  { name: 'ratio', type: 'float', primary: false },
];
const hostile = `x' or "1"='1\\'; drop table t; --`;
const filters: Filter[] = [
  { column: 'id', condition: 'is', value: '9007199254740993' },
  { column: 'na"`\\me', condition: 'not', value: hostile },
  { column: 'na"`\\me', condition: 'contains', value: '100%' },
  { column: 'ratio', condition: 'notNull', value: '' },
];
const view: View = {
  table: { id: 'a.b', name: 'b', schema: 'a', rowCount: 0 },
  limit: 50,
  offset: 100,
  sort: { column: 'ratio', descending: true },
  filters,
};
const statement = (engine: Engine, part: Partial<View> = {}) =>
  pageStatement(engine, { ...view, ...part }, columns);

test('PostgreSQL gets quoted names, escaped texts, whole numbers, and the primary key as the last order', () => {
  expect(statement('postgres')).toBe(
    [
      'select "id", "na""`\\me", "ratio"',
      'from "a"."b"',
      `where "id" = 9007199254740993 and "na""\`\\me" <> E'x\\' or "1"=\\'1\\\\\\'; drop table t; --' and position(lower(E'100%') in lower(cast("na""\`\\me" as text))) > 0 and "ratio" is not null`,
      'order by "ratio" desc, "id"',
      'limit 51 offset 100',
    ].join('\n'),
  );
});

test('MySQL gets texts as bytes, and floats with all their digits', () => {
  const sql = statement('mysql', { filters: [{ column: 'id', condition: 'contains', value: `'\\` }] });
  expect(sql.split('\n')).toEqual([
    'select `id`, `na"``\\me`, cast(`ratio` as double) as `ratio`',
    'from `a`.`b`',
    'where locate(_utf8mb4 0x275c, cast(`id` as char)) > 0',
    'order by `ratio` desc, `id`',
    'limit 51 offset 100',
  ]);
});

test('a float of MySQL is shown with the fewest digits that give the same value', () => {
  const rows = [0.12345670163631439, 16777216, 1.5, null].map((ratio) => ({ id: '1', ratio }));
  expect(readRowsOf('mysql', columns, rows).map(({ ratio }) => ratio)).toEqual([
    0.1234567,
    16777216,
    1.5,
    null,
  ]);
  expect(readRowsOf('postgres', columns, rows)).toBe(rows);
});

test('ClickHouse gets names and texts with its own escapes', () => {
  const sql = statement('clickhouse', {
    filters: [{ column: 'na"`\\me', condition: 'is', value: `'\\` }],
    sort: undefined,
  });
  expect(sql.split('\n').slice(2, 4)).toEqual(["where `na\"\\`\\\\me` = '\\'\\\\'", 'order by `id`']);
});

test('MongoDB gets one command, in which a text is never an operator', () => {
  const command = JSON.parse(
    statement('mongodb', {
      filters: [
        { column: 'name', condition: 'contains', value: 'a.b' },
        { column: '_id', condition: 'is', value: '65a0b1c2d3e4f5a6b7c8d9e0' },
        { column: 'big', condition: 'above', value: '9007199254740993' },
      ],
    }),
  );
  expect(command).toEqual({
    find: 'b',
    $db: 'a',
    filter: {
      $and: [
        { name: { $regex: 'a\\.b', $options: 'i' } },
        { _id: { $in: ['65a0b1c2d3e4f5a6b7c8d9e0', { $oid: '65a0b1c2d3e4f5a6b7c8d9e0' }] } },
        { big: { $gt: { $numberDecimal: '9007199254740993' } } },
      ],
    },
    sort: { ratio: -1, _id: 1 },
    skip: 100,
    limit: 51,
  });
});
