/**
 * Checks whether a value fits its column's type. ClickHouse accepts values that are too large and keeps only their low bits, or cuts
 * digits: the row would have a value that the client did not send, and a key would identify another row.
 */

import { misfitOfFloat as roundedBy } from '../number-fit.ts';
import type { Json } from '../row.ts';
import { type ColumnType, elementsOf, parsedType } from './column-type.ts';
import { misfitOfMoment } from './moment-fit.ts';

/** A JSON number is exact only up to this many digits. */
const sureDigits = 15;
/** The limit at which a number becomes infinite as BFloat16. https://clickhouse.com/docs/sql-reference/data-types/float */
const beyondBFloat16 = 2 ** 128 - 2 ** 119;

/**
 * The reason why the value doesn't fit, as the end of a sentence; `undefined` if it fits. The server itself checks null and types other
 * than numbers and dates or times.
 * @param type in the catalog's form
 */
export function misfit(type: string, value: Json): string | undefined {
  if (value === null) return undefined;
  const parsed = parsedType(type);
  const { name, parameters } = parsed;
  const [first = '', second = ''] = parameters;
  switch (name) {
    case 'Nullable':
    case 'LowCardinality':
      return misfit(first, value);
    case 'SimpleAggregateFunction':
      return misfit(parameters.at(-1) ?? '', value);
    case 'Array':
      return Array.isArray(value) ? firstOf(value, (inner) => misfit(first, inner)) : 'is no list';
    case 'Map':
      if (!isObject(value)) return 'is no object';
      return firstOf(Object.entries(value), ([key, inner]) => misfit(first, key) ?? misfit(second, inner));
    case 'Tuple':
      return misfitOfTuple(parsed, value);
    case 'Nested':
      return Array.isArray(value) ? firstOf(value, (inner) => misfitOfTuple(parsed, inner)) : 'is no list';
    default:
      return misfitOfScalar(parsed, type, value);
  }
}

function misfitOfScalar({ name, parameters }: ColumnType, type: string, value: Json): string | undefined {
  const bits = /^(U?)Int(\d+)$/.exec(name) ?? (name.startsWith('Interval') ? ['', '', '64'] : null);
  if (bits) return misfitOfInteger(value, type, bits[1] === 'U', Number(bits[2]));
  const [first = '', second] = parameters;
  if (name === 'Decimal') return misfitOfDecimal(value, Number(first), Number(second ?? 0));
  if (/^Enum(?:8|16)$/.test(name)) return misfitOfEnum(value, type, name === 'Enum8' ? 8 : 16);
  if (name === 'Bool') return /^(?:true|false|0|1)$/.test(String(value)) ? undefined : 'is no Bool';
  if (/^(?:B?Float)\d+$/.test(name)) return misfitOfFloat(value, name);
  if (/^(?:Date|Time)/.test(name)) return misfitOfMoment(type, value);
  return roundedInside(value);
}

function misfitOfInteger(value: Json, type: string, isUnsigned: boolean, bits: number): string | undefined {
  const rounded = roundedInside(value);
  if (rounded !== undefined) return rounded;
  const text = typeof value === 'boolean' ? '' : String(value);
  if (typeof value === 'object' || !/^(?:0|-?[1-9]\d*)$/.test(text)) return `is no ${type}`;
  const size = BigInt(isUnsigned ? bits : bits - 1);
  const [least, most] = isUnsigned ? [0n, 2n ** size - 1n] : [-(2n ** size), 2n ** size - 1n];
  const integer = BigInt(text);
  return integer < least || integer > most
    ? `is out of the range of ${type}, ${least} to ${most}`
    : undefined;
}

function misfitOfDecimal(value: Json, precision: number, scale: number): string | undefined {
  const parts = /^[+-]?(\d*)(?:\.(\d*))?(?:e([+-]?\d{1,4}))?$/i.exec(
    typeof value === 'boolean' ? '' : String(value),
  );
  const [, whole = '', fraction = '', exponent = '0'] = parts ?? [];
  if (!parts || typeof value === 'object' || whole + fraction === '') return 'is no decimal';
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (typeof value === 'number' && significant.length > sureDigits)
    return 'has more digits than a JSON number keeps: send it as a string';
  const decimals = fraction.length - Number(exponent) - (digits.length - significant.length);
  const type = `Decimal(${precision}, ${scale})`;
  if (significant !== '' && decimals > scale) return `has more than the ${scale} decimals of ${type}`;
  if (significant.length - decimals > precision - scale && significant !== '')
    return `is out of the range of ${type}`;
  return undefined;
}

/** The server checks the names. It also accepts their numbers, but keeps only the low bits of larger ones. */
function misfitOfEnum(value: Json, type: string, bits: number): string | undefined {
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^[+-]?\d+$/.test(value));
  if (!isNumber) return typeof value === 'string' ? undefined : `is no ${type}`;
  return type.includes(`'${value}' =`) ? undefined : misfitOfInteger(value, type, false, bits);
}

function misfitOfFloat(value: Json, name: string): string | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return `is no ${name}`;
  const isWord = typeof value === 'string' && /^[+-]?(?:nan|inf|infinity)$/i.test(value);
  if (isWord) return undefined;
  if (!/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(String(value))) return `is no ${name}`;
  if (name !== 'BFloat16') return roundedBy(String(value), name, name === 'Float32' ? 32 : 64);
  return Math.abs(Number(value)) < beyondBFloat16 ? undefined : `is out of the range of ${name}`;
}

function misfitOfTuple(type: ColumnType, value: Json): string | undefined {
  const elements = elementsOf(type);
  if (Array.isArray(value))
    return firstOf(elements, ({ type: inner }, at) => misfit(inner, value[at] ?? null));
  if (!isObject(value)) return 'is no list or object of its elements';
  // The server would store zeros for missing elements, and drop extra ones.
  const hasAll = elements.every(({ name }) => name !== undefined && Object.hasOwn(value, name));
  if (!hasAll || Object.keys(value).length !== elements.length) return 'has other elements than its type';
  return firstOf(elements, ({ name, type: inner }) => misfit(inner, (name && value[name]) ?? null));
}

/** Finds an integer that JSON may have rounded, at any depth. */
function roundedInside(value: Json): string | undefined {
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
    return `contains ${value}, which JSON may have rounded: send integers beyond 2^53 as strings`;
  return value !== null && typeof value === 'object'
    ? firstOf(Object.values(value), roundedInside)
    : undefined;
}

const isObject = (value: Json): value is Record<string, Json> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

function firstOf<Item>(
  items: Item[],
  reasonOf: (item: Item, at: number) => string | undefined,
): string | undefined {
  for (const [at, item] of items.entries()) {
    const found = reasonOf(item, at);
    if (found !== undefined) return found;
  }
  return undefined;
}
