/** Converts values between PostgreSQL's text format, which loses nothing, and JSON. */
import pg from 'pg';
import { EngineError } from '../engine-error.ts';
import { exactJson } from '../exact-json.ts';
import { misfitOfFloat, misfitOfScale } from '../number-fit.ts';
import type { Json, Row } from '../row.ts';
import { arrayText, parseArray } from './array-text.ts';
import type { Column } from './catalog.ts';

type Decode = (text: string) => Json;

export interface ResultType {
  type: string;
  decode: Decode;
}

const { builtins } = pg.types;

/** Numbers that JSON can't express (NaN, infinities, negative zero) stay text. */
function decodeNumber(text: string): Json {
  const number = Number(text);
  return Number.isFinite(number) && !Object.is(number, -0) ? number : text;
}

/** `2026-01-02 03:04:05.123456+00` becomes ISO 8601. `infinity` and years BC, which ISO 8601 counts differently, stay unchanged. */
function decodeMoment(text: string): Json {
  const [, date, time, zone] = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(\+00)?$/.exec(text) ?? [];
  return date === undefined ? text : `${date}T${time}${zone ? 'Z' : ''}`;
}

/** All other types stay text: 64-bit integers and numeric, dates, intervals, uuid, bytea (`\x` hex), ranges, shapes, enums. */
const decodes: ReadonlyMap<number, Decode> = new Map<number, Decode>([
  [builtins.BOOL, (text) => text === 't'],
  [builtins.INT2, decodeNumber],
  [builtins.INT4, decodeNumber],
  [builtins.OID, decodeNumber],
  [builtins.FLOAT4, decodeNumber],
  [builtins.FLOAT8, decodeNumber],
  [builtins.TIMESTAMP, decodeMoment],
  [builtins.TIMESTAMPTZ, decodeMoment],
  [builtins.JSON, exactJson],
  [builtins.JSONB, exactJson],
]);
const asText: Decode = (text) => text;

/** PostgreSQL's own types that are not arrays: these need no lookup in the catalog. */
const known: ReadonlySet<number> = new Set<number>([
  ...decodes.keys(),
  ...[builtins.INT8, builtins.NUMERIC, builtins.TEXT, builtins.VARCHAR, builtins.BPCHAR, builtins.BYTEA],
  ...[builtins.UUID, builtins.DATE, builtins.TIME, builtins.TIMETZ, builtins.INTERVAL, builtins.INET],
]);

/** Results show a domain as its base type, but not an array of domains. Only boxes are separated by `;`, so their arrays stay text. */
const typesText = `
  SELECT format_type(f.type, f.modifier) AS type,
    CASE WHEN t.typoutput = 'array_out'::regproc AND e.typdelim = ',' THEN coalesce(nullif(e.typbasetype, 0), e.oid) END AS element
  FROM unnest($1::oid[], $2::int4[]) WITH ORDINALITY AS f (type, modifier, place)
    LEFT JOIN pg_type t ON t.oid = f.type LEFT JOIN pg_type e ON e.oid = t.typelem
  ORDER BY place`;

/** Returns each value as text and each row as an array: the driver's own conversion rounds values. */
export const rawResult = {
  rowMode: 'array' as const,
  types: { getTypeParser: () => (text: string) => text },
};

/** The types of a result with the server's names, and the functions that convert their text to JSON. */
export async function resultTypes(client: pg.Client, fields: pg.FieldDef[]): Promise<ResultType[]> {
  const { rows } = await client.query<{ type: string | null; element: number | null }>({
    name: 'longshore-types',
    text: typesText,
    values: [fields.map((field) => field.dataTypeID), fields.map((field) => field.dataTypeModifier)],
  });
  return rows.map(({ type, element }, place) => ({
    type: type ?? 'unknown',
    decode: element === null ? decoderOf(fields[place]?.dataTypeID) : decodeArray(decoderOf(element)),
  }));
}

/** Only the decoders. The server is not asked if all types are common ones. */
export async function resultDecoders(client: pg.Client, fields: pg.FieldDef[]): Promise<Decode[]> {
  if (fields.every((field) => known.has(field.dataTypeID)))
    return fields.map((field) => decoderOf(field.dataTypeID));
  return (await resultTypes(client, fields)).map(({ decode }) => decode);
}

const decoderOf = (oid: number | undefined): Decode => decodes.get(oid ?? 0) ?? asText;
const decodeArray =
  (element: Decode): Decode =>
  (text) =>
    parseArray(text, element);

export function decodedRow(names: string[], decoders: Decode[], values: (string | null)[]): Row {
  return Object.fromEntries(
    names.map((name, place) => {
      const text = values[place] ?? null;
      return [name, text === null ? null : (decoders[place] ?? asText)(text)];
    }),
  );
}

/**
 * Converts a value to the text of its column's type, to be bound. The server takes the type from the column and refuses a value that
 * doesn't fit; a cast would truncate it. Numbers that the server would round are refused here.
 * @throws EngineError `invalid_request`
 */
export function encoded(column: Column, value: Json): string | null {
  const { name, type, shape } = column;
  if (value === null) return null;
  if (shape === 'json') return jsonText(value);
  if (Array.isArray(value)) {
    if (shape === 'plain') throw refusal(name, `is ${type}, which takes no list.`);
    // A list in an array of documents is a document, not a second dimension.
    const list = shape === 'array' ? value : value.map((one) => (one === null ? null : jsonText(one)));
    return arrayText(list, (one) => scalar(column, one));
  }
  return scalar(column, value);
}

/** A string is JSON text, as in read rows. Any other value is the document itself. */
const jsonText = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value));

function scalar({ name, valueType }: Column, value: Json): string | null {
  if (value === null) return value;
  if (typeof value === 'object') throw refusal(name, 'takes no object: send its text.');
  // A float holds the same numbers as a JSON number.
  const isFloat = /^(real|double precision)\b/.test(valueType);
  if (Number.isInteger(value) && !Number.isSafeInteger(value) && !isFloat)
    throw refusal(name, 'got an integer beyond 2^53, which JSON numbers round: send it as a string.');
  const text = String(value);
  const misfit = misfitOf(valueType, text);
  if (misfit !== undefined) throw refusal(name, `${misfit}.`);
  return text;
}

/** @param type such as `numeric(10,2)` or `real[]`, whose text is `{1,2.5}` */
function misfitOf(type: string, text: string): string | undefined {
  const element = type.replace(/(\[\])+$/, '');
  const numbers = element === type ? [text] : text.split(/[{},"\s]+/);
  for (const number of numbers) {
    const misfit = misfitOfNumber(element, number);
    if (misfit !== undefined) return misfit;
  }
  return undefined;
}

function misfitOfNumber(element: string, text: string): string | undefined {
  if (element === 'real') return misfitOfFloat(text, element, 32);
  if (element === 'double precision') return misfitOfFloat(text, element, 64);
  const scale = /^numeric\(\d+,(-?\d+)\)$/.exec(element)?.[1];
  return scale === undefined ? undefined : misfitOfScale(text, element, Number(scale));
}

const refusal = (name: string, words: string) =>
  new EngineError('invalid_request', `Column ${JSON.stringify(name)} ${words}`);
