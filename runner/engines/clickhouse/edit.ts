/** Changes of one row. ClickHouse has no unique key: rows that share one can't be told apart, and none of them is changed. */
import type { DatabaseAnswerOf, DatabaseAskOf } from '../../../protocol/database.ts';
import { EngineError } from '../engine-error.ts';
import { boundValue, escapedName } from './bound-value.ts';
import {
  type Column,
  checkReadable,
  columnsOf,
  findTable,
  readOnly,
  type Table,
  tableId,
} from './catalog.ts';
import type { Connection } from './connection.ts';
import { isMergeTree } from './local-engines.ts';
import { type Json, type Row, rowLine } from './values.ts';

/** Done on this server when the answer comes. https://clickhouse.com/docs/sql-reference/statements/alter#synchronicity-of-alter-queries */
const synchronous = { mutations_sync: '1', lightweight_deletes_sync: '1', async_insert: 0 } as const;
const place = '{database:Identifier}.{name:Identifier}';

export async function insertRow(
  connection: Connection,
  ask: DatabaseAskOf<'insert'>,
): Promise<DatabaseAnswerOf<'insert'>> {
  const { table, columns } = await described(connection, ask.table);
  checkReadable(table);
  for (const { name, isComputed } of named(columns, ask.values, 'values')) {
    if (isComputed)
      throw new EngineError('invalid_request', `The server makes the values of ${JSON.stringify(name)}.`);
  }
  await connection.ask({
    text: `INSERT INTO ${place} FORMAT JSONEachRow`,
    params: { database: table.database, name: table.name },
    settings: { ...synchronous, input_format_null_as_default: 0 },
    data: rowLine(ask.values),
  });
  return { id: keyId(columns, ask.values) };
}

export async function updateRow(
  connection: Connection,
  ask: DatabaseAskOf<'update'>,
): Promise<Record<string, never>> {
  const { table, columns } = await described(connection, ask.table);
  checkChangeable(table);
  const key = keyed(table, columns, ask.primaryKey);
  const changed = named(columns, ask.values, 'values').filter(
    // A form that sends a whole row sends its key too.
    ({ name }) => !(name in ask.primaryKey && isSame(ask.values[name], ask.primaryKey[name])),
  );
  if (changed.length === 0) throw new EngineError('invalid_request', '"values" names no column to change.');
  for (const column of changed) checkColumn(column);
  const row = matching(key, ask.primaryKey);
  const changes = changed.map((column, at) => ({
    name: escapedName(column.name),
    ...boundValue(column, ask.values[column.name] ?? null, `value${at}`),
  }));
  await exactlyOne(connection, table, row);
  await connection.ask({
    text: `ALTER TABLE ${place} UPDATE ${changes.map(({ name, sql }) => `${name} = ${sql}`).join(', ')} WHERE ${row.sql}`,
    params: Object.assign(
      { database: table.database, name: table.name },
      row.params,
      ...changes.map(({ params }) => params),
    ),
    settings: synchronous,
  });
  return {};
}

export async function deleteRow(
  connection: Connection,
  ask: DatabaseAskOf<'delete'>,
): Promise<Record<string, never>> {
  const { table, columns } = await described(connection, ask.table);
  checkChangeable(table);
  const row = matching(keyed(table, columns, ask.primaryKey), ask.primaryKey);
  await exactlyOne(connection, table, row);
  await connection.ask({
    text: `DELETE FROM ${place} WHERE ${row.sql}`,
    params: { database: table.database, name: table.name, ...row.params },
    settings: synchronous,
  });
  return {};
}

async function described(connection: Connection, id: string): Promise<{ table: Table; columns: Column[] }> {
  const table = await findTable(connection, id);
  return { table, columns: await columnsOf(connection, table) };
}

/** @throws EngineError `unsupported` */
function checkChangeable(table: Table): void {
  if (isMergeTree(table.engine)) return;
  throw new EngineError(
    'unsupported',
    `${tableId(table)} has the engine ${table.engine}, which changes no single rows: only tables of the MergeTree family do.`,
  );
}

function checkColumn({ name, isInKey, isComputed }: Column): void {
  const quoted = JSON.stringify(name);
  if (isInKey) {
    const words = `${quoted} belongs to a key of the table, which ClickHouse can't change: insert the row anew and delete this one.`;
    throw new EngineError('invalid_request', words);
  }
  if (isComputed) throw new EngineError('invalid_request', `The server makes the values of ${quoted}.`);
}

/** The columns that these values are for. @throws EngineError `invalid_request` with the name of one that isn't there */
function named(columns: Column[], values: Row, field: string): Column[] {
  return Object.keys(values).map((name) => {
    const column = columns.find((one) => one.name === name);
    if (column) {
      checkExact(column, values[name]);
      return column;
    }
    const known = columns.map((one) => one.name).join(', ');
    throw new EngineError(
      'invalid_request',
      `"${field}" names ${JSON.stringify(name)}: the columns are ${known}.`,
    );
  });
}

/** @throws EngineError `invalid_request` for a number that JSON may have rounded */
function checkExact(column: Column, value: Json | undefined): void {
  if (column.type.includes('Float')) return;
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    const words = `${JSON.stringify(column.name)} holds ${value}, which JSON may have rounded: send integers beyond 2^53 as strings.`;
    throw new EngineError('invalid_request', words);
  }
  if (value !== null && typeof value === 'object')
    for (const inner of Object.values(value)) checkExact(column, inner);
}

/** @throws EngineError `invalid_request` */
function keyed(table: Table, columns: Column[], primaryKey: Row): Column[] {
  const key = columns.filter(({ primary }) => primary);
  const names = key.map(({ name }) => name);
  if (key.length === 0) {
    const words = `${tableId(table)} has no primary key that names a row: change it with a query.`;
    throw new EngineError('invalid_request', words);
  }
  for (const column of key) checkExact(column, primaryKey[column.name]);
  const given = Object.keys(primaryKey);
  if (given.length === names.length && names.every((name) => given.includes(name))) return key;
  throw new EngineError('invalid_request', `"primaryKey" must be the table's key: ${names.join(', ')}.`);
}

interface Condition {
  sql: string;
  params: Record<string, unknown>;
}

function matching(key: Column[], values: Row): Condition {
  const parts = key.map((column, at) => {
    const name = escapedName(column.name);
    const value = values[column.name] ?? null;
    if (value === null) return { sql: `isNull(${name})`, params: {} };
    const { sql, params } = boundValue(column, value, `key${at}`);
    return { sql: `${name} = ${sql}`, params };
  });
  return {
    sql: parts.map(({ sql }) => sql).join(' AND '),
    params: Object.assign({}, ...parts.map(({ params }) => params)),
  };
}

/** @throws EngineError `not_found`; `conflict` with how many rows there are */
async function exactlyOne(connection: Connection, table: Table, row: Condition): Promise<void> {
  const { rows } = await connection.ask({
    text: `SELECT count() FROM ${place} WHERE ${row.sql}`,
    params: { database: table.database, name: table.name, ...row.params },
    settings: readOnly,
  });
  const count = Number(rows[0]?.[0]);
  if (count === 1) return;
  if (count === 0) throw new EngineError('not_found', 'No row has this key.');
  throw new EngineError(
    'conflict',
    `${count} rows have this key, which is not unique in ClickHouse: nothing was changed. Change them with a query.`,
  );
}

/** What the caller gave: ClickHouse does not say what it made of a value, or of one that was left out. */
function keyId(columns: Column[], values: Row): string | number | null {
  const names = columns.filter(({ primary }) => primary).map(({ name }) => name);
  const [only] = names;
  if (only === undefined || names.some((name) => values[name] === undefined)) return null;
  if (names.length > 1) return JSON.stringify(Object.fromEntries(names.map((name) => [name, values[name]])));
  const value = values[only] ?? null;
  return value === null || typeof value === 'number' || typeof value === 'string'
    ? value
    : JSON.stringify(value);
}

const isSame = (one: Json | undefined, other: Json | undefined) =>
  JSON.stringify(one) === JSON.stringify(other);
