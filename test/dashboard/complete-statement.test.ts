/** What the editor of statements offers at the cursor, which `|` marks. */
import { expect, test } from 'vitest';
import {
  type Catalogue,
  completeStatement,
} from '../../dashboard/pages/service/database/editor/complete-statement.ts';
import { quotedName } from '../../dashboard/pages/service/database/editor/quoted-name.ts';

const table = (name: string, schema = 'public') => ({ id: `${schema}.${name}`, name, schema, rowCount: 1 });
const columnsOf: Record<string, string[]> = {
  customers: ['id', 'name', 'Balance'],
  orders: ['id', 'customer', 'order'],
  'odd "name"': ['x'],
};
const catalogueOf = (engine: string, more: Partial<Catalogue> = {}): Catalogue => ({
  engine,
  tables: [table('customers'), table('orders'), table('odd "name"'), table('customers', 'old')],
  columns: ({ name }) => columnsOf[name]?.map((column) => ({ name: column, type: 'text' })),
  ...more,
});

function offered(marked: string, { engine = 'postgres', isWanted = true } = {}): string[] | undefined {
  const at = marked.indexOf('|');
  const statement = marked.replace('|', '');
  return completeStatement(catalogueOf(engine), statement, at, isWanted)?.found.map(({ text }) => text);
}

test.each([
  ['select * from cus|', ['customers', 'old.customers']],
  ['select c.| from customers c', ['id', 'name', '"Balance"']],
  ['select c.na| from customers as c', ['name']],
  ['select customers.n| from customers', ['name']],
  ['select * from customers c join orders o on o.cu| = c.id', ['customer']],
  ['select o.| from public.orders o', ['id', 'customer', '"order"']],
  ['select * from public.| ', ['customers', 'orders', '"odd ""name"""']],
  ['select * from "odd ""name""" x where x.|', ['x']],
  ['update orders set cust|', ['customer', 'customers', 'old.customers']],
  ['select nam| from customers', ['name']],
])('%s offers what can follow', (statement, wanted) => {
  expect(offered(statement)?.slice(0, wanted.length)).toEqual(wanted);
});

test.each(["select 'cus|'", 'select "cus|"', '-- from cus|', 'select 1 /* from cus|', "select 'it''s cus|"])(
  '%s is inside a text or comment, and nothing is offered',
  (statement) => {
    expect(offered(statement)).toBeUndefined();
  },
);

test('a text before the cursor that is closed does not stop completion', () => {
  expect(offered("select 'a' -- b\n from cus|")).toEqual(['customers', 'old.customers']);
});

test('unasked, one letter and a word that is whole are left alone', () => {
  expect(offered('select * from c|', { isWanted: false })).toBeUndefined();
  expect(offered('select * from customers|', { isWanted: false })).toBeUndefined();
  expect(offered('select * from cust|', { isWanted: false })).toEqual(['customers', 'old.customers']);
  expect(offered('select c.| from customers c', { isWanted: false })).toEqual(['id', 'name', '"Balance"']);
});

test('commands of MongoDB offer operators, collections and fields; those of Redis words and keys', () => {
  expect(offered('{"find": "cus|"}', { engine: 'mongodb' })).toContain('customers');
  expect(offered('{"aggregate": "orders", "pipeline": [{"$ma|', { engine: 'mongodb' })).toContain('$match');
  expect(offered('HGET|', { engine: 'redis' })).toEqual(['HGET', 'HGETALL']);
  expect(offered('HGETALL cus|', { engine: 'redis' })).toContain('customers');
});

test.each([
  ['postgres', 'name', 'name'],
  ['postgres', 'order', '"order"'],
  ['postgres', 'Name', '"Name"'],
  ['postgres', 'a"b', '"a""b"'],
  ['mysql', 'Name', 'Name'],
  ['mysql', 'a`b', '`a``b`'],
  ['mysql', 'group', '`group`'],
  ['clickhouse', 'a`b\\', '`a\\`b\\\\`'],
  ['redis', 'user:1', 'user:1'],
])('%s writes the name %s as %s', (engine, name, written) => {
  expect(quotedName(engine, name)).toBe(written);
});
