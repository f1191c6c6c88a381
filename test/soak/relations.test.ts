/** Foreign keys and enums as the dashboard reads them, from the catalogs of real engines. */
import { expect, test } from 'vitest';
import { relationStatements, relationsOf } from '../../dashboard/pages/service/database/schema/relations.ts';
import { databaseCalls } from '../support/instance/database-calls.ts';
import type { Json } from '../support/instance/longshore.ts';
import { useInstance } from '../support/instance/use-instance.ts';

const longshore = useInstance();

const tables = {
  postgres: [
    "create type mood as enum ('calm', 'it''s loud')",
    'create table countries (code text primary key)',
    'create table places (country text references countries, "zip code" text, primary key (country, "zip code"))',
    'create table customers (id int primary key, feels mood, country text, "zip code" text, friend int references customers, foreign key (country, "zip code") references places)',
  ],
  mysql: [
    'create table countries (code varchar(9) primary key)',
    'create table places (country varchar(9), `zip code` varchar(9), primary key (country, `zip code`), foreign key (country) references countries (code))',
    'create table customers (id int primary key, country varchar(9), `zip code` varchar(9), friend int, foreign key (country, `zip code`) references places (country, `zip code`), foreign key (friend) references customers (id))',
  ],
} as const;

test.each(['postgres', 'mysql'] as const)(
  'foreign keys of %s are read with their columns in order, and its enums with their labels',
  async (engine) => {
    const project = await longshore.newProject(engine);
    const service: Json = await longshore.newDatabase(engine, { name: 'shop' }, project);
    const { query } = databaseCalls(longshore, () => service);
    for (const sql of tables[engine]) await query(sql);
    const { keys = '', enums } = relationStatements[engine] ?? {};
    const { foreignKeys, enums: labels } = relationsOf(
      (await query(keys)).rows,
      enums === undefined ? [] : (await query(enums)).rows,
    );
    const short = foreignKeys.map(({ schema, table, columns, targetSchema, targetTable, targetColumns }) => {
      expect(schema).toBe(targetSchema);
      return `${table}(${columns}) → ${targetTable}(${targetColumns})`;
    });
    expect(short.sort()).toEqual([
      'customers(country,zip code) → places(country,zip code)',
      'customers(friend) → customers(id)',
      'places(country) → countries(code)',
    ]);
    expect([...labels]).toEqual(engine === 'postgres' ? [['mood', ['calm', "it's loud"]]] : []);
  },
);
