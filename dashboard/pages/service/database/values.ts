/**
 * Converts values of cells into exact texts and back. The API sends numbers that a double can't hold as texts (docs/guide/databases.md), so no code
 * here may convert them into a number that changes them.
 */
import { dataText, rowText } from './database-text.ts';
import type { Column, Engine } from './table-types.ts';

/** How a cell is edited. */
export type Editor = 'choice' | 'date' | 'number' | 'json' | 'bytes' | 'text';

/** `undefined`: the row does not have this field. */
export type Value = unknown;

const numberType =
  /^((tiny|small|medium|big)?int(eger)?|u?int\d+|numeric|decimal\d*|float\d*|double|real|year)\b/i;
const jsonType = /^jsonb?\b|\[\]$|^(array|map|tuple|nested)\b/i;
const booleanType = /^bool/i;
const enumType = /^enum\d*\(/i;
const dateType = /^date(32)?$/i;
const bytesType = /^(bytea|(tiny|medium|long)?blob|(var)?binary(\(\d+\))?)$/i;
const wrappedType = /^(nullable|lowcardinality)\((.*)\)$/i;

/** The type without ClickHouse's wrappers. */
function plainType(type: string): string {
  const [, , inner] = wrappedType.exec(type) ?? [];
  return inner === undefined ? type : plainType(inner);
}

export function editorOf(engine: Engine, { type, choices }: Pick<Column, 'type' | 'choices'>): Editor {
  if (engine === 'mongodb') return 'json';
  if (engine === 'redis') return 'text';
  if (choices !== undefined) return 'choice';
  const plain = plainType(type);
  if (booleanType.test(plain) || enumType.test(plain)) return 'choice';
  if (bytesType.test(plain)) return 'bytes';
  if (dateType.test(plain)) return 'date';
  if (jsonType.test(plain)) return 'json';
  return numberType.test(plain) ? 'number' : 'text';
}

/** The values that a column with the editor `choice` can have. */
export function choicesOf({ type, choices }: Pick<Column, 'type' | 'choices'>): readonly string[] {
  if (choices !== undefined) return choices;
  const plain = plainType(type);
  if (booleanType.test(plain)) return ['true', 'false'];
  return [...plain.matchAll(quotedLabel)].map(([, label = '']) =>
    label.replace(/''|\\(.)/gs, (_, one?: string) => (one === undefined ? "'" : (controls[one] ?? one))),
  );
}

const quotedLabel = /'((?:[^'\\]|''|\\.)*)'/gs;
/** The escapes that MySQL and ClickHouse use in the type of a column. */
const controls: Record<string, string> = { n: '\n', r: '\r', t: '\t', b: '\b', '0': '\0' };

/** The expected format of a value in this column; empty: obvious. */
export function hintOf(engine: Engine, { type }: Pick<Column, 'type'>): string {
  const plain = plainType(type);
  if (bytesType.test(plain)) return rowText.hints.bytes;
  if (dateType.test(plain)) return rowText.hints.date;
  if (/^time\b(?!stamp)/i.test(plain)) return rowText.hints.time;
  if (/with time zone|^datetime64\(|^datetime\('/i.test(plain)) return rowText.hints.zoned;
  if (/^timestamp\b/i.test(plain)) return engine === 'mysql' ? rowText.hints.zoned : rowText.hints.local;
  return /^datetime\b/i.test(plain) ? (engine === 'mysql' ? rowText.hints.local : rowText.hints.zoned) : '';
}

/** The value, complete and exact. */
export function cellText(value: Value): string {
  if (value === null) return dataText.null;
  if (value === undefined) return dataText.absent;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** The complete value for editing. In MongoDB, texts have quotes, because only quotes distinguish them from numbers. */
export function editedText(engine: Engine, value: Value): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object' || engine === 'mongodb') return JSON.stringify(value, null, 2);
  return String(value);
}

/**
 * The value to send for an edited text.
 * @throws RangeError with a sentence for the user: the text is not JSON, or contains a number that would be rounded
 */
export function sentValue(engine: Engine, column: Pick<Column, 'type' | 'choices'>, text: string): Value {
  const editor = editorOf(engine, column);
  if (editor === 'choice') return booleanType.test(plainType(column.type)) ? text === 'true' : text;
  if (editor === 'bytes' && !/^\\x([0-9a-f]{2})*$/i.test(text)) throw new RangeError(rowText.hints.bytes);
  // Sent as a number only if its digits stay the same; otherwise the database parses the text.
  if (editor === 'number') return text.trim() !== '' && String(Number(text)) === text ? Number(text) : text;
  if (editor === 'text' || editor === 'bytes' || editor === 'date') return text;
  if (engine === 'mongodb') return exactJson(text);
  const parsed = parsedJson(text);
  // The text of a JSON column is sent as the document, with every digit.
  if (/json/i.test(column.type) && parsed === undefined) throw new RangeError(rowText.badJson);
  return /json/i.test(column.type) || parsed === undefined ? text : exactJson(text);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @throws RangeError */
export function exactJson(text: string): Value {
  const parsed = parsedJson(text);
  if (parsed === undefined) throw new RangeError(rowText.badJson);
  const rounded = roundedNumber(text);
  if (rounded !== undefined) throw new RangeError(rowText.roundedNumber(rounded));
  return parsed;
}

const textOrNumber = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** The first number of a JSON text that a double can't hold with all its digits. */
function roundedNumber(json: string): string | undefined {
  const numbers = (json.match(textOrNumber) ?? []).filter((token) => !token.startsWith('"'));
  return numbers.find(
    (token) => digitsOf(token) !== digitsOf(Number(token).toPrecision(17)) && isLong(token),
  );
}

const digitsOf = (numeral: string) => numeral.replace(/[eE].*$|[-.]/g, '').replace(/^0+|0+$/g, '');
/** A double preserves up to 15 digits. */
const isLong = (numeral: string) => digitsOf(numeral).length > 15;
