/**
 * Turns the values of a result into the row that a selection describes. drizzle 0.45 looks up each field's decoder again for every row,
 * which costs more than the query itself in a long list; here it is looked up once per statement.
 */
import { Column, is, noopDecoder, SQL } from 'drizzle-orm';

/** A field of a selection in drizzle's list: the path of its value (`['service', 'id']`) and its decoder. */
export interface SelectedField {
  path: string[];
  field: unknown;
}

export type RowReader = (values: readonly unknown[]) => Record<string, unknown>;

interface Place {
  /** Name of the nested object; undefined if the value belongs to the row itself. */
  group: string | undefined;
  name: string;
  /** Undefined if D1's value is used unchanged. */
  decode: ((value: unknown) => unknown) | undefined;
}

/** @returns undefined for whole tables in a join, for which drizzle returns null if a left join found none */
export function rowReader(fields: readonly SelectedField[]): RowReader | undefined {
  if (fields.some(({ path, field }) => path.length > 2 || (path.length === 2 && is(field, Column)))) return;
  const places = fields.map(placeOf);
  const groups = [...new Set(places.flatMap(({ group }) => group ?? []))];
  return (values) => {
    const row: Record<string, unknown> = {};
    for (const group of groups) row[group] = {};
    for (let index = 0; index < places.length; index++) {
      const { group, name, decode } = places[index] as Place;
      const value = values[index];
      const target = group === undefined ? row : (row[group] as Record<string, unknown>);
      target[name] = decode === undefined || value === null ? value : decode(value);
    }
    return row;
  };
}

function placeOf({ path, field }: SelectedField): Place {
  const decoder = decoderOf(field);
  const isPlain =
    decoder === noopDecoder || decoder.mapFromDriverValue === Column.prototype.mapFromDriverValue;
  const [first = '', second] = path;
  return {
    group: second === undefined ? undefined : first,
    name: second ?? first,
    decode: isPlain ? undefined : (value) => decoder.mapFromDriverValue(value),
  };
}

interface Decoder {
  mapFromDriverValue(value: unknown): unknown;
}

/** The same as in drizzle's mapResultRow. */
function decoderOf(field: unknown): Decoder {
  if (is(field, Column)) return field;
  const sql = is(field, SQL) ? field : (field as { sql: unknown }).sql;
  return (sql as { decoder: Decoder }).decoder;
}
