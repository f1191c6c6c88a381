/** Converts values between the server's own text, which loses nothing, and JSON. */
import type { FieldPacket } from 'mysql2';
import { isSameNumber } from '../../../protocol/exact-number.ts';
import { EngineError } from '../engine-error.ts';
import { exactJson, numbersIn } from '../exact-json.ts';
import { misfitOfFloat, misfitOfScale } from '../number-fit.ts';
import type { Json, Row } from '../row.ts';
import type { Column } from './catalog.ts';
import { shortestFloat } from './float-text.ts';

export type Bindable = string | Buffer | null;

/** https://dev.mysql.com/doc/dev/mysql-server/latest/field__types_8h.html */
const types = {
  decimal: 0,
  tiny: 1,
  short: 2,
  long: 3,
  float: 4,
  double: 5,
  null: 6,
  timestamp: 7,
  longlong: 8,
  int24: 9,
  date: 10,
  time: 11,
  datetime: 12,
  year: 13,
  bit: 16,
  vector: 242,
  json: 245,
  newDecimal: 246,
  tinyBlob: 249,
  mediumBlob: 250,
  longBlob: 251,
  blob: 252,
  varString: 253,
  string: 254,
  geometry: 255,
} as const;
const flags = { unsigned: 32, enum: 256, set: 2048 };
/** The character set of binary columns. */
const binaryCharset = 63;

const integerNames: Readonly<Record<number, string>> = {
  [types.tiny]: 'tinyint',
  [types.short]: 'smallint',
  [types.int24]: 'mediumint',
  [types.long]: 'int',
  [types.longlong]: 'bigint',
};
const plainNames: Readonly<Record<number, string>> = {
  [types.decimal]: 'decimal',
  [types.newDecimal]: 'decimal',
  [types.float]: 'float',
  [types.double]: 'double',
  [types.null]: 'null',
  [types.timestamp]: 'timestamp',
  [types.date]: 'date',
  [types.time]: 'time',
  [types.datetime]: 'datetime',
  [types.year]: 'year',
  [types.bit]: 'bit',
  [types.vector]: 'vector',
  [types.json]: 'json',
  [types.geometry]: 'geometry',
};

/** The type of a result's column. A result doesn't contain declared lengths. */
export function typeName(field: FieldPacket): string {
  const type = field.columnType ?? types.varString;
  const integer = integerNames[type];
  if (integer) return (Number(field.flags) & flags.unsigned) > 0 ? `${integer} unsigned` : integer;
  const plain = plainNames[type];
  if (plain) return plain;
  if ((Number(field.flags) & flags.enum) > 0) return 'enum';
  if ((Number(field.flags) & flags.set) > 0) return 'set';
  const isBinary = field.characterSet === binaryCharset;
  if (type === types.string) return isBinary ? 'binary' : 'char';
  if (type === types.varString) return isBinary ? 'varbinary' : 'varchar';
  return isBinary ? 'blob' : 'text';
}

/** @param names of the columns, if they differ from the field names */
export function decodedRow(fields: FieldPacket[], row: (Buffer | null)[], names?: string[]): Row {
  return Object.fromEntries(
    fields.map((field, at) => {
      const bytes = row[at] ?? null;
      return [names?.[at] ?? field.name, bytes === null ? null : decoded(field, bytes)];
    }),
  );
}

function decoded(field: FieldPacket, bytes: Buffer): Json {
  switch (field.columnType) {
    case types.tiny:
    case types.short:
    case types.int24:
    case types.long:
    case types.year:
    case types.float:
    case types.double:
      return numberOf(bytes.toString());
    case types.timestamp:
      return momentOf(bytes.toString(), 'Z');
    case types.datetime:
      return momentOf(bytes.toString(), '');
    case types.json:
      return exactJson(bytes.toString());
    case types.bit:
      return bitsOf(bytes, field.columnLength ?? 1);
    case types.geometry:
    case types.vector:
      return hexOf(bytes);
    case types.tinyBlob:
    case types.mediumBlob:
    case types.longBlob:
    case types.blob:
    case types.varString:
    case types.string:
      return field.characterSet === binaryCharset ? hexOf(bytes) : bytes.toString();
    default: // 64-bit integers, decimals, dates, times
      return bytes.toString();
  }
}

/** JSON has no negative zero. */
function numberOf(text: string): Json {
  const number = Number(text);
  return Number.isFinite(number) && !Object.is(number, -0) ? number : text;
}

/** ISO 8601; the connection's time zone is UTC. `0000-00-00 00:00:00` is not a valid time and stays unchanged. */
function momentOf(text: string, zone: string): string {
  return text.startsWith('0000-00-00') ? text : `${text.replace(' ', 'T')}${zone}`;
}

const hexOf = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`;

/** Has as many digits as the column has bits. */
function bitsOf(bytes: Buffer, length: number): string {
  return BigInt(`0x${bytes.toString('hex') || '0'}`)
    .toString(2)
    .padStart(length, '0');
}

const integerTypes = /^(tinyint|smallint|mediumint|int|bigint|year)$/;
const numberTypes = /^(decimal|float|double)$/;
const momentTypes = /^(timestamp|datetime)$/;
const binaryTypes =
  /^((var)?binary|(tiny|medium|long)?blob|geometry|point|linestring|polygon|multi(point|linestring|polygon)|geom(etry)?collection|vector)$/;

/**
 * Converts a value from the form of read rows to a bound one. The server takes the type from the column, and refuses values that don't fit.
 * @throws EngineError `invalid_request` with the column's name
 */
export function encoded(column: Column, value: Json): Bindable {
  const { dataType } = column;
  if (value === null) return null;
  if (dataType === 'json') return documentText(column, value);
  if (typeof value === 'object') throw refusal(column, 'takes no list and no object');
  if (typeof value === 'boolean') return value ? '1' : '0';
  const text = String(value);
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value);
  // A double holds the same numbers as a JSON number.
  if (isRounded && !/^(float|double)$/.test(dataType)) {
    throw refusal(column, 'got an integer beyond 2^53, which JSON numbers round: send it as a string');
  }
  if (integerTypes.test(dataType) && !/^-?\d+$/.test(text)) throw refusal(column, 'takes a whole number');
  if (numberTypes.test(dataType) && !/^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) {
    throw refusal(column, 'takes a number');
  }
  const misfit = misfitOf(column, text);
  if (misfit !== undefined) throw misfitRefusal(column, misfit);
  if (momentTypes.test(dataType)) return text.replace('T', ' ').replace(/Z$/, '');
  if (dataType === 'bit') return bitBytes(column, text);
  if (binaryTypes.test(dataType)) return bytesOf(column, text);
  return text;
}

function documentText(column: Column, value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const misfit = misfitOfDocument(text);
  if (misfit !== undefined) throw misfitRefusal(column, misfit);
  return text;
}

/** Even in strict mode the server rounds a DECIMAL with only a note, and a FLOAT without one. */
function misfitOf({ type, dataType }: Column, text: string): string | undefined {
  const scale = /^(?:decimal|float|double)\(\d+,(\d+)\)/.exec(type)?.[1];
  const misfit = scale === undefined ? undefined : misfitOfScale(text, type, Number(scale));
  if (misfit !== undefined) return misfit;
  if (dataType === 'double') return misfitOfFloat(text, type, 64);
  if (dataType !== 'float') return undefined;
  // The text of the largest FLOAT is a little smaller than the number.
  const isKept = isSameNumber(text, shortestFloat(Math.fround(Number(text))));
  return isKept ? undefined : misfitOfFloat(text, type, 32);
}

function bitBytes(column: Column, text: string): Buffer {
  if (!/^[01]{1,64}$/.test(text)) throw refusal(column, 'takes its bits, such as "101"');
  const hex = BigInt(`0b${text}`).toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
}

function bytesOf(column: Column, text: string): Buffer {
  if (!/^\\x([0-9a-f]{2})*$/i.test(text)) {
    throw refusal(column, 'takes bytes: \\x and pairs of hexadecimal digits');
  }
  return Buffer.from(text.slice(2), 'hex');
}

/** @param words the end of a sentence that begins with the column's name */
const misfitRefusal = ({ name }: Column, words: string) =>
  new EngineError('invalid_request', `Column ${JSON.stringify(name)} ${words}.`);

function refusal(column: Column, words: string): EngineError {
  const name = JSON.stringify(column.name);
  return new EngineError('invalid_request', `Column ${name} is ${column.type}, and ${words}.`);
}

const integers = { least: -(2n ** 63n), most: 2n ** 64n - 1n };

/**
 * The reason why a document would be changed, as the end of a sentence; `undefined` if it is kept, or if it is no JSON, which the server
 * refuses. MySQL stores a number in a JSON document as a 64-bit integer or as a double, and silently rounds every other number.
 * https://dev.mysql.com/doc/refman/9.4/en/json.html#json-values
 */
export function misfitOfDocument(text: string): string | undefined {
  const number = numbersIn(text).find((one) => !isKept(one));
  if (number === undefined) return undefined;
  return `is json, in which MySQL would round ${number.slice(0, 50)}: put this number in quotes`;
}

function isKept(number: string): boolean {
  if (!/^-?\d+$/.test(number)) return misfitOfFloat(number, 'double', 64) === undefined;
  const value = BigInt(number);
  const isInteger = value >= integers.least && value <= integers.most && number !== '-0';
  return isInteger || (number !== '-0' && misfitOfFloat(number, 'double', 64) === undefined);
}
