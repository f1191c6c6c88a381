import { expect, test } from 'vitest';
import { ImportRefusal } from '../../../../runner/engines/archive/import-refusal.ts';
import { adopted } from '../../../../runner/engines/clickhouse/archive/adopt.ts';

const objectOf = (statement: string, engine: string) => ({
  database: 'shop',
  name: 't',
  engine,
  uuid: '',
  statement,
  columns: null,
});
const manifestOf = (statement: string, engine = 'MergeTree') => ({
  format: 'longshore-clickhouse-1' as const,
  server: '26.7',
  functions: ['CREATE FUNCTION f AS x -> (x + 1)', 'DROP DATABASE shop'],
  objects: [objectOf(statement, engine)],
});
const statementOf = (statement: string, to = 'new `db`', engine = 'MergeTree') =>
  adopted(manifestOf(statement, engine), 'shop', to).objects[0]?.statement;

test.each([
  [
    "CREATE TABLE shop.t (`id` UInt8) ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}') ORDER BY id",
    'CREATE TABLE shop.t (`id` UInt8) ENGINE = MergeTree ORDER BY id',
  ],
  [
    "CREATE TABLE shop.t (`v` UInt8) ENGINE = ReplicatedReplacingMergeTree('/it\\'s, (x)', '{replica}', v, d) ORDER BY v",
    'CREATE TABLE shop.t (`v` UInt8) ENGINE = ReplacingMergeTree(v, d) ORDER BY v',
  ],
  [
    'CREATE TABLE shop.t (`v` UInt8) ENGINE = SharedMergeTree ORDER BY v',
    'CREATE TABLE shop.t (`v` UInt8) ENGINE = MergeTree ORDER BY v',
  ],
  [
    "CREATE TABLE shop.t (`ENGINE = ReplicatedMergeTree` String DEFAULT 'ENGINE = ReplicatedMergeTree') ENGINE = Log",
    "CREATE TABLE shop.t (`ENGINE = ReplicatedMergeTree` String DEFAULT 'ENGINE = ReplicatedMergeTree') ENGINE = Log",
  ],
])('a table of a source becomes one that needs no other server: %s', (statement, expected) => {
  expect(statementOf(statement, 'shop')).toBe(expected);
});

test("a statement of a source names the service's database wherever it names one", () => {
  expect(
    statementOf(
      "CREATE VIEW shop.`t` AS SELECT shop, k.shop, 'it''s shop.', \"shop\".kept.id FROM `shop`.kept AS k WHERE x.shop.y = 1",
    ),
  ).toBe(
    "CREATE VIEW `new \\`db\\``.`t` AS SELECT shop, k.shop, 'it''s shop.', `new \\`db\\``.kept.id FROM `new \\`db\\``.kept AS k WHERE x.shop.y = 1",
  );
});

test.each(["dictGet('shop.d', 'n', 1)", "joinGet(`x`, 'shop.j')", "'shop'"])(
  'a statement of a source that names its database in a text is refused: %s',
  (expression) => {
    const statement = `CREATE VIEW shop.t AS SELECT ${expression}`;
    expect(() => statementOf(statement)).toThrow(/CLICKHOUSE_DB is shop/);
    expect(statementOf(statement, 'shop')).toBe(statement);
  },
);

test.each([
  'DROP TABLE app.kept',
  'CREATE TABLE other.t (x Int8) ENGINE = Log',
  'CREATE DATABASE shop.t',
  '',
])('a statement of a source is run only when it creates something in this database: %s', (statement) => {
  expect(() => statementOf(statement)).toThrow(ImportRefusal);
});

test('a table whose rows are elsewhere is left out, and so is a function that is none', () => {
  const statement = 'CREATE TABLE shop.t (`x` Int8) ENGINE = Log';
  const manifest = manifestOf(statement, 'Log');
  const objects = [...manifest.objects, { ...objectOf(statement, 'Distributed'), name: 'd' }];
  const taken = adopted({ ...manifest, objects }, 'shop', 'shop');
  expect(taken.objects.map(({ name }) => name)).toEqual(['t']);
  expect(taken.functions).toEqual(['CREATE FUNCTION f AS x -> (x + 1)']);
  expect(() => adopted({ ...manifest, objects: [] }, 'shop', 'shop')).toThrow(/is empty/);
});
