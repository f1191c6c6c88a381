import type { DatabaseAnswerOf } from '../../protocol/database.ts';

/** A row of a table in the API's form. */
export type Row = DatabaseAnswerOf<'rows'>['rows'][number];
/** The value of a cell, as JSON. */
export type Json = Row[string];

/** Adds a number to repeated column names, so that no column gets lost in an object. */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set(names);
  const seen = new Set<string>();
  return names.map((name) => {
    let free = name;
    for (let count = 2; seen.has(free) || (free !== name && taken.has(free)); count++)
      free = `${name}_${count}`;
    seen.add(free);
    return free;
  });
}

/** The first rows whose JSON takes at most `bytesMax` bytes in all. JSON can be larger than the data: hexadecimal doubles the size. */
export function rowsWithin(rows: Row[], bytesMax: number): Row[] {
  let left = bytesMax;
  const end = rows.findIndex((row) => {
    left -= Buffer.byteLength(JSON.stringify(row));
    return left < 0;
  });
  return end < 0 ? rows : rows.slice(0, end);
}
