/**
 * Converts BSON to Extended JSON v2 and back without loss (https://github.com/mongodb/specifications/blob/master/source/extended-json/).
 * Strings, booleans, null, 32-bit integers, doubles with a fraction and nested documents are plain JSON. Everything else is wrapped in its
 * type's name: a 64-bit integer, a double that is a whole number (`{"$numberDouble":"1.0"}`) or not a number, a decimal. A date is
 * `{"$date":"2026-11-21T10:00:00.000Z"}`. When reading, a whole number is a 32-bit integer if it fits, otherwise a 64-bit one.
 */
import { BSON } from 'mongodb';
import { EngineError } from '../engine-error.ts';
import { misfitOfFloat } from '../number-fit.ts';
import type { Json } from '../row.ts';

const { Double, EJSON, Int32 } = BSON;

export type JsonDocument = Record<string, Json>;

/** The same limit as in MongoDB. */
const depthMax = 100;
/** Dates between these years are shown as text. */
const textYears = { first: 1970, last: 9999 };

/** @param value must have been read with `exactValues` */
export function toJson(value: unknown): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (value === undefined) return { $undefined: true };
  if (Array.isArray(value)) return value.map(toJson);
  if (value instanceof Int32) return value.value;
  if (value instanceof Double && Number.isFinite(value.value) && !Number.isInteger(value.value))
    return value.value;
  if (value instanceof Date) return dateJson(value);
  if (typeof value === 'object' && !('_bsontype' in value)) return documentJson(value);
  return EJSON.serialize(value, { relaxed: false });
}

export const documentJson = (document: object): JsonDocument =>
  Object.fromEntries(Object.entries(document).map(([name, value]) => [name, toJson(value)]));

function dateJson(date: Date): Json {
  const year = date.getUTCFullYear();
  const isText = year >= textYears.first && year <= textYears.last;
  return { $date: isText ? date.toISOString() : { $numberLong: String(date.getTime()) } };
}

/**
 * @param place the name of the value in the error message
 * @throws EngineError `invalid_request`
 */
export function fromJson(value: Json, place: string): unknown {
  check(value, place, 0);
  try {
    const read: unknown = EJSON.deserialize({ value }, { relaxed: false }).value;
    checkDates(read, place);
    return read;
  } catch (error) {
    if (error instanceof EngineError) throw error;
    const words = error instanceof Error ? error.message : String(error);
    throw new EngineError('invalid_request', `${place} is not Extended JSON: ${words}`, { cause: error });
  }
}

function check(value: Json, place: string, depth: number): void {
  if (depth > depthMax)
    throw new EngineError('invalid_request', `${place} is nested more than ${depthMax} levels deep.`);
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new EngineError(
      'invalid_request',
      `${place} contains the number ${value}, which JSON may have rounded: write {"$numberLong": "..."} or {"$numberDouble": "..."}.`,
    );
  }
  if (typeof value !== 'object' || value === null) return;
  for (const inner of Object.values(value)) check(inner, place, depth + 1);
  checkTyped(value, place);
}

/** The driver keeps the low bits of an integer that is too large for its type, and the nearest double to any text. */
function checkTyped(value: object, place: string): void {
  const [[type = '', given] = []] = Object.entries(value);
  const bits = { $numberInt: 32n, $numberLong: 64n }[type];
  if (bits === undefined && type !== '$numberDouble') return;
  const text = String(given);
  const misfit = bits === undefined ? misfitOfDouble(text) : misfitOfInteger(text, bits);
  if (misfit === undefined) return;
  throw new EngineError(
    'invalid_request',
    `${place} contains {"${type}": "${text.slice(0, 50)}"}, ${misfit}.`,
  );
}

function misfitOfInteger(text: string, bits: bigint): string | undefined {
  if (!/^[+-]?\d{1,30}$/.test(text)) return 'which is not an integer';
  const value = BigInt(text.replace(/^\+/, ''));
  const size = 2n ** (bits - 1n);
  if (value >= -size && value < size) return undefined;
  return `which has more than ${bits} bits: write ${bits === 32n ? '{"$numberLong": "..."}' : '{"$numberDecimal": "..."}'}`;
}

function misfitOfDouble(text: string): string | undefined {
  if (/^(?:NaN|-?Infinity)$/.test(text)) return undefined;
  if (!Number.isFinite(Number(text)) || text.trim() === '') return 'which is not a double';
  const misfit = misfitOfFloat(text, 'a double', 64);
  return misfit && `which ${misfit}, or {"$numberDecimal": "..."}`;
}

/** An invalid text in `$date` would be stored as the beginning of 1970. */
function checkDates(value: unknown, place: string): void {
  if (value instanceof Date && Number.isNaN(value.getTime()))
    throw new EngineError('invalid_request', `${place} contains a "$date" that is not a date.`);
  if (typeof value === 'object' && value !== null && !('_bsontype' in value))
    for (const inner of Object.values(value)) checkDates(inner, place);
}

const typeNames: Readonly<Record<string, string>> = {
  Int32: 'int',
  ObjectId: 'objectId',
  Decimal128: 'decimal',
  Binary: 'binData',
  BSONRegExp: 'regex',
  BSONSymbol: 'symbol',
  Code: 'javascript',
  MinKey: 'minKey',
  MaxKey: 'maxKey',
  DBRef: 'object',
};

/** The name that `$type` uses: https://www.mongodb.com/docs/manual/reference/bson-types/ */
function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value !== 'object') return typeof value;
  if (Array.isArray(value)) return 'array';
  if (value instanceof Date) return 'date';
  if (!('_bsontype' in value)) return 'object';
  const name = String(value._bsontype);
  return typeNames[name] ?? name.toLowerCase();
}

/**
 * The fields of the documents, in the order of first appearance. When a field's type differs between documents, all its types are listed.
 */
export function fieldsOf(documents: readonly object[]): { name: string; type: string }[] {
  const types = new Map<string, Set<string>>();
  for (const document of documents) {
    for (const [name, value] of Object.entries(document)) {
      const seen = types.get(name) ?? new Set();
      types.set(name, seen.add(typeName(value)));
    }
  }
  return [...types].map(([name, seen]) => ({ name, type: [...seen].sort().join(' | ') }));
}
