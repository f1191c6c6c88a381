/**
 * Binds a value as a parameter of its column's type. https://clickhouse.com/docs/sql-reference/syntax#defining-and-using-query-parameters
 */
import { EngineError } from '../engine-error.ts';
import type { Json } from '../row.ts';
import type { Column } from './catalog.ts';
import { elementsOf, parsedType } from './column-type.ts';
import { boundType, elementParameter } from './element-parameter.ts';
import { binary } from './values.ts';

export interface BoundValue {
  sql: string;
  params: Record<string, unknown>;
}

/** Escapes a name from the catalog, for places where parameters are not allowed. */
export const escapedName = (name: string) => `\`${name.replace(/[\\`]/g, '\\$&')}\``;

/** @param name of the parameter, unique in its statement */
export function boundValue({ name: column, type }: Column, value: Json, name: string): BoundValue {
  const bytes = binary(value);
  if (bytes) {
    const params = { [name]: bytes.toString('hex'), [`${name}Type`]: type };
    return { sql: `CAST(unhex({${name}:String}), {${name}Type:String})`, params };
  }
  const moment = /^((?:Nullable\()?DateTime(?:64\(\d+)?)/.exec(type)?.[1];
  if (moment !== undefined && typeof value === 'string' && value.endsWith('Z')) {
    return { sql: `{${name}:${inUtc(type)}}`, params: { [name]: value.slice(0, -1) } };
  }
  const params = { [name]: parameter(column, type, value) };
  const bound = boundType(type);
  if (bound === type || value === null || typeof value !== 'object')
    return { sql: `{${name}:${type}}`, params };
  return {
    sql: `CAST({${name}:${bound}}, {${name}Type:String})`,
    params: { ...params, [`${name}Type`]: type },
  };
}

/** The same time in UTC: ClickHouse converts between zones. `DateTime64(3, 'Asia/Tokyo')` becomes `DateTime64(3, 'UTC')`. */
function inUtc(type: string): string {
  const precision = /DateTime64\((\d+)/.exec(type)?.[1];
  const plain = precision === undefined ? "DateTime('UTC')" : `DateTime64(${precision}, 'UTC')`;
  return type.startsWith('Nullable(') ? `Nullable(${plain})` : plain;
}

function parameter(column: string, type: string, value: Json): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (holdsBytes(value)) {
    const words = `${JSON.stringify(column)} is a ${type} with bytes that are not UTF-8, which can't be bound: change it with a query.`;
    throw new EngineError('invalid_request', words);
  }
  if (/^(?:JSON|Object|Dynamic|Variant)\b/.test(type)) return JSON.stringify(value);
  if (!type.startsWith('Tuple(') || Array.isArray(value)) return elementParameter(type, value);
  const names = elementsOf(parsedType(type)).map(({ name }) => name);
  const isWhole = names.every((name) => name !== undefined && name in value);
  if (isWhole && Object.keys(value).length === names.length) return elementParameter(type, value);
  throw new EngineError(
    'invalid_request',
    `${JSON.stringify(column)} is a ${type}: give all of its elements.`,
  );
}

const holdsBytes = (value: Json): boolean =>
  value !== null && typeof value === 'object'
    ? Object.values(value).some(holdsBytes)
    : binary(value) !== undefined;
