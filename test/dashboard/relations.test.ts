/** Where foreign keys lead, and which columns have choices. */
import { expect, test } from 'vitest';
import {
  addressOfTarget,
  keyOfColumn,
  relationsOf,
  withChoices,
} from '../../dashboard/pages/service/database/schema/relations.ts';
import type { Table } from '../../dashboard/pages/service/database/table-types.ts';

const key = (table: string, columns: string[], target: string, targetColumns: string[]) => ({
  ...{ schema: 'public', table, columns: JSON.stringify(columns) },
  ...{ target_schema: 'public', target_table: target, target_columns: JSON.stringify(targetColumns) },
});
const relations = relationsOf(
  [
    key('orders', ['country', 'zip'], 'places', ['country', 'zip']),
    key('orders', ['country'], 'countries', ['code']),
    { ...key('orders', ['broken'], 'x', []), columns: 'not json' },
  ],
  [{ name: 'mood', labels: '["calm","it\'s loud"]' }],
);
const table = (name: string): Table =>
  ({ id: `public.${name}`, schema: 'public', name, rowCount: 1 }) as Table;
const tables = ['orders', 'places', 'countries'].map(table);

test('a column of several keys follows the one with the fewest columns, and a broken row of the catalog is no key', () => {
  expect(keyOfColumn(relations, table('orders'), 'country')?.targetTable).toBe('countries');
  expect(keyOfColumn(relations, table('orders'), 'zip')?.targetTable).toBe('places');
  expect(keyOfColumn(relations, table('orders'), 'broken')).toBeUndefined();
  expect(keyOfColumn(relations, table('places'), 'zip')).toBeUndefined();
});

test('the address of a row has all columns of its key, whatever they contain, and there is none for NULL', () => {
  const places = keyOfColumn(relations, table('orders'), 'zip');
  if (places === undefined) throw new Error('no key');
  const address = addressOfTarget('svc_1', places, { country: 'a&b="c', zip: 12 }, tables);
  const query = new URL(address ?? '', 'https://x.example').searchParams;
  expect([query.get('table'), JSON.parse(query.get('filters') ?? '')]).toEqual([
    'public.places',
    [
      { column: 'country', condition: 'is', value: 'a&b="c' },
      { column: 'zip', condition: 'is', value: '12' },
    ],
  ]);
  expect(addressOfTarget('svc_1', places, { country: null, zip: 12 }, tables)).toBeUndefined();
  expect(addressOfTarget('svc_1', places, { country: 'x', zip: 12 }, [])).toBeUndefined();
});

test('columns of an enum have its labels as choices, in its order', () => {
  const columns = [
    { name: 'feels', type: 'mood', primary: false },
    { name: 'id', type: 'integer', primary: true },
  ];
  const choices = withChoices(columns as Parameters<typeof withChoices>[0], relations).map(
    (one) => one.choices,
  );
  expect(choices).toEqual([['calm', "it's loud"], undefined]);
});
