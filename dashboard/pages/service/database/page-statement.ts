/**
 * The statement for a sorted or filtered page of a table. A user who may send it may send any statement, so the quoting is only for correctness:
 * every name and value keeps its meaning.
 */
import type { Column, Condition, Engine, Filter, Row, Sort, View } from './table-types.ts';

interface Dialect {
  name(name: string): string;
  text(text: string): string;
  contains(column: string, text: string): string;
  /** The column in the list of the SELECT. */
  selected(column: string, type: string): string;
}

const backtick = (name: string) => `\`${name.replaceAll('`', '``')}\``;
const hex = (text: string) =>
  Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('');
const backslashed = (text: string) => text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");

const postgres: Dialect = {
  name: (name) => `"${name.replaceAll('"', '""')}"`,
  // E'...' does not depend on standard_conforming_strings.
  text: (text) => `E'${backslashed(text)}'`,
  contains: (column, text) => `position(lower(${text}) in lower(cast(${column} as text))) > 0`,
  selected: (column) => column,
};

const mysql: Dialect = {
  name: backtick,
  // Bytes with an introducer: no server mode changes their meaning, and the column's collation is used.
  text: (text) => (text === '' ? "''" : `_utf8mb4 0x${hex(text)}`),
  contains: (column, text) => `locate(${text}, cast(${column} as char)) > 0`,
  // In the result of a statement, MySQL shows only 6 digits of a float.
  selected: (column, type) => (/^float/i.test(type) ? `cast(${column} as double) as ${column}` : column),
};

const clickhouse: Dialect = {
  name: (name) => `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``,
  text: (text) => `'${backslashed(text)}'`,
  contains: (column, text) => `positionCaseInsensitiveUTF8(toString(${column}), ${text}) > 0`,
  selected: (column) => column,
};

const dialects = { postgres, timescale: postgres, mysql, clickhouse };

/** Converts rows of a statement into the form of the route for rows: MySQL's floats get the fewest digits that give the same value. */
export function readRowsOf(engine: Engine, columns: readonly Column[], rows: readonly Row[]): readonly Row[] {
  const floats = columns.filter(({ type }) => engine === 'mysql' && /^float/i.test(type));
  if (floats.length === 0) return rows;
  return rows.map((row) => ({
    ...row,
    ...Object.fromEntries(floats.map(({ name }) => [name, shortFloat(row[name])])),
  }));
}

function shortFloat(value: unknown): unknown {
  if (typeof value !== 'number') return value;
  const digits = [1, 2, 3, 4, 5, 6, 7, 8].find(
    (count) => Math.fround(Number(value.toPrecision(count))) === Math.fround(value),
  );
  return digits === undefined ? value : Number(value.toPrecision(digits));
}

/** Engines whose tables can be sorted and filtered. */
export const canFilter = (engine: Engine): boolean => engine !== 'redis';

/** @returns a statement for one row more than the page has, to find out whether another page follows */
export function pageStatement(engine: Engine, view: View, columns: readonly Column[]): string {
  if (engine === 'mongodb') return documentCommand(view);
  if (engine === 'redis') throw new TypeError('The keys of Redis have no statement for a page.');
  return sqlPage(dialects[engine], view, columns);
}

function sqlPage(dialect: Dialect, view: View, columns: readonly Column[]): string {
  const typeOf = (name: string) => columns.find((one) => one.name === name)?.type ?? '';
  const where = view.filters.map((filter) => sqlCondition(dialect, filter, typeOf(filter.column)));
  const selected = columns.map(({ name, type }) => dialect.selected(dialect.name(name), type));
  return [
    `select ${selected.join(', ')}`,
    `from ${dialect.name(view.table.schema)}.${dialect.name(view.table.name)}`,
    ...(where.length > 0 ? [`where ${where.join(' and ')}`] : []),
    ...orderOf(dialect, view.sort, columns),
    `limit ${view.limit + 1} offset ${view.offset}`,
  ].join('\n');
}

/** The primary key decides between equal values, so that no row appears on two pages. */
function orderOf(dialect: Dialect, sort: Sort | undefined, columns: readonly Column[]): string[] {
  const keys = columns.filter(({ name, primary }) => primary && name !== sort?.column);
  const order = [
    ...(sort ? [`${dialect.name(sort.column)} ${sort.descending ? 'desc' : 'asc'}`] : []),
    ...keys.map(({ name }) => dialect.name(name)),
  ];
  return order.length > 0 ? [`order by ${order.join(', ')}`] : [];
}

const operators = { is: '=', not: '<>', above: '>', below: '<' } as const;
const numericType = /int|serial|numeric|decimal|float|double|real|money|oid/i;
const numeral = /^-?\d+(\.\d+)?$/;

function sqlCondition(dialect: Dialect, filter: Filter, type: string): string {
  const column = dialect.name(filter.column);
  if (filter.condition === 'null') return `${column} is null`;
  if (filter.condition === 'notNull') return `${column} is not null`;
  if (filter.condition === 'contains') return dialect.contains(column, dialect.text(filter.value));
  // Some engines would compare a text with a number as doubles.
  const isNumber = numericType.test(type) && numeral.test(filter.value);
  return `${column} ${operators[filter.condition]} ${isNumber ? filter.value : dialect.text(filter.value)}`;
}

function documentCommand({ table, limit, offset, sort, filters }: View): string {
  const wanted = filters.map(({ column, condition, value }) => ({
    [column]: documentCondition(condition, value),
  }));
  return JSON.stringify({
    find: table.name,
    $db: table.schema,
    filter: wanted.length > 0 ? { $and: wanted } : {},
    sort: { ...(sort ? { [sort.column]: sort.descending ? -1 : 1 } : {}), _id: 1 },
    skip: offset,
    limit: limit + 1,
  });
}

function documentCondition(condition: Condition, text: string): unknown {
  const value = documentValue(text);
  switch (condition) {
    case 'is':
      // An id is usually an ObjectId, which users write as plain hex.
      return { $in: /^[0-9a-f]{24}$/i.test(text) ? [text, { $oid: text }] : [value] };
    case 'not':
      return { $nin: [value] };
    case 'contains':
      return { $regex: text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), $options: 'i' };
    case 'above':
      return { $gt: value };
    case 'below':
      return { $lt: value };
    case 'null':
      return { $eq: null };
    case 'notNull':
      return { $ne: null };
  }
}

/** A number, boolean or Extended JSON if the text has that form, else the text itself. */
function documentValue(text: string): unknown {
  if (numeral.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : { $numberDecimal: text };
  if (text === 'true' || text === 'false') return text === 'true';
  if (!text.startsWith('{')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
