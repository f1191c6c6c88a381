/** Values on their way out of PostgreSQL and in: as text, of which nothing is lost, to JSON and back. */
import pg from 'pg';
import { EngineError } from '../engine-error.ts';
import { exactJson } from '../exact-json.ts';
import type { Json, Row } from '../row.ts';
import { arrayText, parseArray } from './array-text.ts';
import type { Column } from './catalog.ts';

type Decode = (text: string) => Json;

export interface ResultType {
  type: string;
  decode: Decode;
}

const { builtins } = pg.types;

/** Numbers that JSON can't say (NaN, infinities, the negative zero) stay text. */
function decodeNumber(text: string): Json {
  const number = Number(text);
  return Number.isFinite(number) && !Object.is(number, -0) ? number : text;
}

/** `2026-01-02 03:04:05.123456+00` as ISO 8601; `infinity` and years BC, which ISO 8601 counts otherwise, as they are. */
function decodeMoment(text: string): Json {
  const [, date, time, zone] = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(\+00)?$/.exec(text) ?? [];
  return date === undefined ? text : `${date}T${time}${zone ? 'Z' : ''}`;
}

/** Every other type is its text: 64-bit integers and numeric, dates, intervals, uuid, bytea (`\x` hex), ranges, shapes, enums. */
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

/** Types of PostgreSQL's own that are no arrays: nothing has to be looked up. */
const known: ReadonlySet<number> = new Set<number>([
  ...decodes.keys(),
  ...[builtins.INT8, builtins.NUMERIC, builtins.TEXT, builtins.VARCHAR, builtins.BPCHAR, builtins.BYTEA],
  ...[builtins.UUID, builtins.DATE, builtins.TIME, builtins.TIMETZ, builtins.INTERVAL, builtins.INET],
]);

/** A domain shows as its base type in results; an array of domains doesn't. Boxes alone are parted by `;`: they stay text. */
const typesText = `
  SELECT format_type(f.type, f.modifier) AS type,
    CASE WHEN t.typoutput = 'array_out'::regproc AND e.typdelim = ',' THEN coalesce(nullif(e.typbasetype, 0), e.oid) END AS element
  FROM unnest($1::oid[], $2::int4[]) WITH ORDINALITY AS f (type, modifier, place)
    LEFT JOIN pg_type t ON t.oid = f.type LEFT JOIN pg_type e ON e.oid = t.typelem
  ORDER BY place`;

/** Text of every value, columns by place: the driver's own values are rounded. */
export const rawResult = {
  rowMode: 'array' as const,
  types: { getTypeParser: () => (text: string) => text },
};

/** The types of a result as the server names them, and how their text becomes JSON. */
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

/** The decoders alone: without asking the server where all types are its most common ones. */
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
 * A value as the text of its column's type, to be bound: the server takes the type from the column, and refuses what doesn't fit instead of
 * cutting it, as a cast would.
 * @throws EngineError `invalid_request`
 */
export function encoded({ name, type, shape }: Column, value: Json): string | null {
  if (value === null) return null;
  if (shape === 'json') return jsonText(value);
  if (Array.isArray(value)) {
    if (shape === 'plain') throw refusal(name, `is ${type}, which takes no list.`);
    // In an array of documents a list is one of them, and no second dimension.
    const list = shape === 'array' ? value : value.map((one) => (one === null ? null : jsonText(one)));
    return arrayText(list, (one) => scalar(name, one));
  }
  return scalar(name, value);
}

/** A string is JSON text, as it is read; everything else is the document. */
const jsonText = (value: Json) => (typeof value === 'string' ? value : JSON.stringify(value));

function scalar(name: string, value: Json): string | null {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'object') throw refusal(name, 'takes no object: send its text.');
  if (typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value))
    throw refusal(name, 'got an integer beyond 2^53, which JSON numbers round: send it as a string.');
  return String(value);
}

const refusal = (name: string, words: string) =>
  new EngineError('invalid_request', `Column ${JSON.stringify(name)} ${words}`);
