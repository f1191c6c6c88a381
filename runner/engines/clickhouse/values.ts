/**
 * Converts values between ClickHouse's JSON and ours. Its strings are bytes, so its JSON is not always UTF-8: it is read as latin1, which
 * loses no byte, and each string in it is checked.
 */
import { isUtf8 } from 'node:buffer';
import type { Json, Row } from '../row.ts';

/** https://clickhouse.com/docs/operations/settings/formats */
export const jsonSettings = {
  output_format_json_quote_64bit_integers: 1,
  output_format_json_quote_decimals: 1,
  output_format_json_quote_denormals: 1,
  output_format_json_escape_forward_slashes: 0,
  output_format_json_named_tuples_as_objects: 1,
  date_time_output_format: 'iso',
  date_time_input_format: 'best_effort',
} as const;

/** A line of ClickHouse's JSON. */
export function parsedLine(line: Buffer): Json[] {
  return decoded(JSON.parse(line.toString('latin1'))) as Json[];
}

function decoded(value: Json): Json {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map(decoded);
  // JSON has no negative zero.
  if (Object.is(value, -0)) return '-0';
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [text(name), decoded(inner)]));
}

/** Matches ASCII that does not look like hexadecimal bytes, which is nearly every string: it needs no conversion. */
const plain = /^(?!\\x)[\0-\x7f]*$/;

function text(latin1: string): string {
  if (plain.test(latin1)) return latin1;
  const bytes = bytesOf(latin1);
  return isShownAsText(bytes) ? bytes.toString() : `\\x${bytes.toString('hex')}`;
}

/** ClickHouse escapes U+2028 and U+2029, the only characters here that are not single bytes. */
function bytesOf(latin1: string): Buffer {
  if (!/[^\0-\xff]/.test(latin1)) return Buffer.from(latin1, 'latin1');
  return Buffer.concat(
    latin1.split(/([^\0-\xff]+)/).map((part, at) => Buffer.from(part, at % 2 === 0 ? 'latin1' : 'utf8')),
  );
}

/** A text that could be mistaken for hexadecimal bytes is shown as bytes. */
const isShownAsText = (bytes: Buffer): boolean => isUtf8(bytes) && binary(bytes.toString()) === undefined;

/** The bytes of a string that is shown as `\x` hex; `undefined` for a text, even one that looks like hex. */
export function binary(value: Json | undefined): Buffer | undefined {
  if (typeof value !== 'string' || !/^\\x(?:[0-9a-f]{2})+$/i.test(value)) return undefined;
  const bytes = Buffer.from(value.slice(2), 'hex');
  // The server would never show these bytes as hex, so the user typed them.
  return isShownAsText(bytes) ? undefined : bytes;
}

/** A row in the format JSONEachRow. */
export function rowLine(row: Row): Buffer {
  return Buffer.from(JSON.stringify(encoded(row)), 'latin1');
}

function encoded(value: Json): Json {
  if (typeof value === 'string') return (binary(value) ?? Buffer.from(value)).toString('latin1');
  if (Array.isArray(value)) return value.map(encoded);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [encoded(name) as string, encoded(inner)]),
  );
}
