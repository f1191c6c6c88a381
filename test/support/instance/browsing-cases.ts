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

/** MySQL calls the type of a `numeric` column `decimal`. */
const mysql: BrowsingCase = {
  ...postgres,
  engine: 'mysql',
  make: [
    'create table notes (id int primary key, text varchar(50) not null, amount decimal(20, 2), unique key notes_text (text))',
    "insert into notes values (1, 'one', 1.5)",
  ],
  table: { name: 'notes', schema: 'app' },
  columns: [
    { name: 'id', type: 'int', primary: true },
    { name: 'text', type: 'varchar(50)', primary: false },
    { name: 'amount', type: 'decimal(20,2)', primary: false },
  ],
  wrong: { sql: 'select id\nform notes', says: /^invalid_request: .*line 2/ },
  denied: "select 'x' into outfile '/tmp/x'",
  gate: undefined,
  wide: {
    make: [
      'create table wide (id int auto_increment primary key, text text)',
      `insert into wide (text) with recursive n (i) as (select 1 union all select i + 1 from n where i < 500) select repeat('x', 7000) from n`,
    ],
    widen: "update wide set text = repeat('x', 9000)",
  },
};

const id = '65a0b1c2d3e4f5a6b7c8d9e0';

const mongodb: BrowsingCase = {
  engine: 'mongodb',
  make: ['{"insert": "notes", "documents": [{"_id": 1, "text": "one"}]}'],
  table: { name: 'notes', schema: 'test' },
  columns: [
    { name: '_id', type: 'int', primary: true },
    { name: 'text', type: 'string', primary: false },
  ],
  insert: {
    values: { _id: { $oid: id }, big: { $numberLong: '9007199254740993' } },
    id: JSON.stringify({ $oid: id }),
  },
  inserted: { _id: { $oid: id }, big: { $numberLong: '9007199254740993' } },
  primaryKey: { _id: { $oid: id } },
  update: { values: { big: null }, updated: { _id: { $oid: id }, big: null } },
  missing: { _id: 99 },
  read: { sql: '{"find": "notes"}', rows: [{ _id: 1, text: 'one' }] },
  wrong: { sql: '{"find": "notes", "filter": {"$nope": 1}}', says: /^invalid_request: .*nope/ },
  conflict: { values: { _id: 1 }, says: /_id/ },
  denied: '{"shutdown": 1}',
  gate: undefined,
  wide: undefined,
};

const clickhouse: BrowsingCase = {
  engine: 'clickhouse',
  make: [
    'create table notes (id UInt32, text String, amount Decimal(20, 2), constraint no_thirteen check id != 13) engine = MergeTree order by id',
    "insert into notes values (1, 'one', 1.5)",
  ],
  table: { name: 'notes', schema: 'app' },
  columns: [
    { name: 'id', type: 'UInt32', primary: true },
    { name: 'text', type: 'String', primary: false },
    { name: 'amount', type: 'Decimal(20, 2)', primary: false },
  ],
  // Decimals are returned without trailing zeros.
  insert: { values: { id: 2, text: "it's", amount: '9007199254740993.5' }, id: 2 },
  inserted: { id: 2, text: "it's", amount: '9007199254740993.5' },
  primaryKey: { id: 2 },
  update: { values: { text: 'ü' }, updated: { id: 2, text: 'ü', amount: '9007199254740993.5' } },
  missing: { id: 99 },
  read: { sql: 'select id, text from notes', rows: [{ id: 1, text: 'one' }] },
  wrong: { sql: 'select 1 frm notes where', says: /^invalid_request: .*position 14/s },
  conflict: { values: { id: 13, text: 'x', amount: '0' }, says: /no_thirteen/ },
  denied: "select * from url('http://127.0.0.1/', CSV)",
  gate: undefined,
  wide: undefined,
};

export const browsingCases = {
  postgres,
  timescale: { ...postgres, engine: 'timescale' as const },
  mysql,
  redis,
  mongodb,
  clickhouse,
};
