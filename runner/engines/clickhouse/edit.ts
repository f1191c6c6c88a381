/** Changes to one row. ClickHouse has no unique keys. Rows with the same key can't be distinguished, so none of them is changed. */
import type { DatabaseAnswerOf, DatabaseAskOf } from '../../../protocol/database.ts';
import { EngineError } from '../engine-error.ts';
import type { Json, Row } from '../row.ts';
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
import { misfit } from './fit.ts';
import { isMergeTree } from './local-engines.ts';
import { rowLine } from './values.ts';

/**
 * The server answers after it has finished. https://clickhouse.com/docs/sql-reference/statements/alter#synchronicity-of-alter-queries
 */
const synchronous = { mutations_sync: '1', lightweight_deletes_sync: '1', async_insert: 0 } as const;
/** The time limit for reading the key of a new row. If it runs out, the caller's values are used. */
const keyTimeoutMs = 2_000;
const place = '{database:Identifier}.{name:Identifier}';

export async function insertRow(
  connection: Connection,
  ask: DatabaseAskOf<'insert'>,
): Promise<DatabaseAnswerOf<'insert'>> {
  const { table, columns } = await described(connection, ask.table);
  checkReadable(table);
  for (const { name, isComputed } of named(columns, ask.values, 'values')) {
    if (isComputed)
      throw new EngineError('invalid_request', `The server computes the values of ${JSON.stringify(name)}.`);
  }
  await connection.ask({
    text: `INSERT INTO ${place} FORMAT JSONEachRow`,
    params: { database: table.database, name: table.name },
    settings: { ...synchronous, input_format_null_as_default: 0 },
    data: rowLine(ask.values),
    writes: true,
  });
  return { id: keyId(columns, await storedKey(connection, table, columns, ask.values)) };
}

export async function updateRow(
  connection: Connection,
  ask: DatabaseAskOf<'update'>,
): Promise<Record<string, never>> {
  const { table, columns } = await described(connection, ask.table);
  checkChangeable(table);
  const key = keyed(table, columns, ask.primaryKey);
  const changed = named(columns, ask.values, 'values').filter(
    // A form that sends a whole row also sends its key.
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
    writes: true,
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
    writes: true,
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
    `${tableId(table)} has the engine ${table.engine}, which can't change single rows: only the MergeTree family can.`,
  );
}

function checkColumn({ name, isInKey, isComputed }: Column): void {
  const quoted = JSON.stringify(name);
  if (isInKey) {
    const words = `${quoted} belongs to a key of the table, which ClickHouse can't change: insert a new row and delete this one.`;
    throw new EngineError('invalid_request', words);
  }
  if (isComputed) throw new EngineError('invalid_request', `The server computes the values of ${quoted}.`);
}

/** The columns of these values. @throws EngineError `invalid_request` with the name of a missing column */
function named(columns: Column[], values: Row, field: string): Column[] {
  return Object.keys(values).map((name) => {
    const column = columns.find((one) => one.name === name);
    if (column) {
      checkFits(column, values[name]);
      return column;
    }
    const known = columns.map((one) => one.name).join(', ');
    throw new EngineError(
      'invalid_request',
      `"${field}" names ${JSON.stringify(name)}: the columns are ${known}.`,
    );
  });
}

/** @throws EngineError `invalid_request` for a value that its type would change */
function checkFits({ name, type }: Column, value: Json | undefined): void {
  const wrong = misfit(type, value ?? null);
  if (wrong !== undefined) throw new EngineError('invalid_request', `${JSON.stringify(name)} ${wrong}.`);
}

/** @throws EngineError `invalid_request` */
function keyed(table: Table, columns: Column[], primaryKey: Row): Column[] {
  const key = columns.filter(({ primary }) => primary);
  const names = key.map(({ name }) => name);
  if (key.length === 0) {
    const words = `${tableId(table)} has no primary key that identifies a row: change it with a query.`;
    throw new EngineError('invalid_request', words);
  }
  for (const column of key) checkFits(column, primaryKey[column.name]);
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

/** @throws EngineError `not_found`; `conflict` with the number of rows */
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

/**
 * The key as the row stores it: an INSERT in ClickHouse returns neither stored values nor defaults. When it can't be read, the caller's
 * values are used, since the row exists.
 */
async function storedKey(connection: Connection, table: Table, columns: Column[], values: Row): Promise<Row> {
  const key = columns.filter(({ primary }) => primary);
  if (key.length === 0 || key.some(({ name }) => values[name] === undefined)) return values;
  try {
    const row = matching(key, values);
    const { rows } = await connection.ask({
      text: `SELECT ${key.map(({ name }) => escapedName(name)).join(', ')} FROM ${place} WHERE ${row.sql} LIMIT 1`,
      params: { database: table.database, name: table.name, ...row.params },
      settings: readOnly,
      timeoutMs: keyTimeoutMs,
    });
    const [stored] = rows;
    return stored ? Object.fromEntries(key.map(({ name }, at) => [name, stored[at] ?? null])) : values;
  } catch (error) {
    if (error instanceof EngineError) return values;
    throw error;
  }
}

/** `null` if the caller left out a part of the key. */
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
