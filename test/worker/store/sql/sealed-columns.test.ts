/** A column that is missing in the list of sealed columns would not open any more once the old key is gone. */
import { getTableConfig } from 'drizzle-orm/sqlite-core';
import { expect, test } from 'vitest';
import * as places from '../../../../worker/security/secret-places.ts';
import { archivedTables } from '../../../../worker/store/sql/row-archive.ts';
import { sealedColumns } from '../../../../worker/store/sql/sealed-columns.ts';

const schema = import.meta.glob<string>('../../../../worker/store/schema/*.ts', {
  eager: true,
  query: '?raw',
  import: 'default',
});
/** Source text of each table. */
const tables = Object.values(schema).flatMap((source) => source.split('sqliteTable(').slice(1));
const columnsIn = (pattern: RegExp) =>
  tables.flatMap((source) => {
    const table = /'(\w+)'/.exec(source)?.[1];
    return [...source.matchAll(pattern)].map(([, column]) => `${table}.${column}`);
  });
const namesOf = (columns: typeof sealedColumns) => columns.map(({ table, column }) => `${table}.${column}`);

const inPlace = new Set(namesOf(sealedColumns.filter(({ cell }) => cell?.table !== 'deleted_rows')));
const inKeptRows = new Set(namesOf(sealedColumns.filter(({ cell }) => cell?.table === 'deleted_rows')));

test('every sealed column of the schema is sealed again when keys are replaced', () => {
  const marked = columnsIn(/sealedText\('(\w+)'\)/g);
  expect(marked).toEqual(expect.arrayContaining(['variables.sealed_value', 'idempotency_keys.response']));
  expect(marked.filter((name) => !inPlace.has(name))).toEqual([]);
  expect(columnsIn(/ text\('((?:sealed|wrapped)_\w+)'\)/g), 'use sealedText').toEqual([]);
});

test('every place of a secret is sealed again when keys are replaced', () => {
  const names = Object.values(places).map((place) => {
    const { table, column } = typeof place === 'function' ? place({} as never) : place;
    return `${table}.${column}`;
  });
  expect(new Set([...names, 'projects.wrapped_data_key'])).toEqual(inPlace);
});

test('sealed columns of rows that a deletion keeps are sealed again too', () => {
  const archived = archivedTables.map((table) => getTableConfig(table).name);
  const expected = [...inPlace].filter((name) => archived.includes(name.split('.')[0] ?? ''));
  expect([...inKeptRows].sort()).toEqual(expected.sort());
});
