import type { BrowsingCase } from './database-browsing.ts';

const sqlRows = {
  insert: { values: { id: 2, text: "it's", amount: '9007199254740993.50' }, id: 2 },
  inserted: { id: 2, text: "it's", amount: '9007199254740993.50' },
  primaryKey: { id: 2 },
  update: { values: { text: 'ü' }, updated: { id: 2, text: 'ü', amount: '9007199254740993.50' } },
  missing: { id: 99 },
  conflict: { values: { id: 3, text: 'one', amount: null }, says: /notes_text/ },
};

const postgres: BrowsingCase = {
  engine: 'postgres',
  make: [
    'create table notes (id int primary key, text text not null, amount numeric(20, 2))',
    'create unique index notes_text on notes (text)',
    "insert into notes values (1, 'one', 1.5)",
    'create table gate (id int)',
  ],
  table: { name: 'notes', schema: 'public' },
  columns: [
    { name: 'id', type: 'integer', primary: true },
    { name: 'text', type: 'text', primary: false },
    { name: 'amount', type: 'numeric(20,2)', primary: false },
  ],
  ...sqlRows,
  read: { sql: 'select id, amount from notes', rows: [{ id: 1, amount: '1.50' }] },
  wrong: { sql: 'select id from notez', says: /^invalid_request: .*notez.*column 16/ },
  denied: "copy (select 1) to program 'id'",
  gate: {
    wait: 'do $$ begin loop exit when exists (select from gate); perform pg_sleep(0.05); end loop; end $$',
    open: 'insert into gate values (1)',
  },
  wide: {
    make: [
      'create table wide (id int primary key, text text)',
      "insert into wide select n, repeat('x', 7000) from generate_series(1, 500) n",
    ],
    widen: "update wide set text = repeat('x', 9000)",
  },
};

const redis: BrowsingCase = {
  engine: 'redis',
  make: ['HSET notes a one'],
  table: { name: 'notes', schema: 'hash' },
  columns: [
    { name: 'field', type: 'string', primary: true },
    { name: 'value', type: 'string', primary: false },
  ],
  insert: { values: { field: 'b "c"', value: 'ü' }, id: 'b "c"' },
  inserted: { field: 'b "c"', value: 'ü' },
  primaryKey: { field: 'b "c"' },
  update: { values: { value: 'two' }, updated: { field: 'b "c"', value: 'two' } },
  missing: { field: 'none' },
  read: { sql: 'HGET notes a', rows: [{ value: 'one' }] },
  wrong: { sql: 'NOSUCH notes', says: /^invalid_request: .*NOSUCH/ },
  conflict: { values: { field: 'a', value: 'x' }, says: /a/ },
  denied: 'CONFIG GET requirepass',
  gate: { wait: 'BLPOP gate 10', open: 'RPUSH gate open' },
  wide: undefined,
};

export const browsingCases = { postgres, redis };
