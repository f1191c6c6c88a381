import type { Row } from './row.ts';

/** The first rows whose JSON is no larger than this. It may be larger than what was read: bytes as hexadecimal take twice their room. */
export function rowsWithin(rows: Row[], bytesMax: number): Row[] {
  let left = bytesMax;
  const end = rows.findIndex((row) => {
    left -= Buffer.byteLength(JSON.stringify(row));
    return left < 0;
  });
  return end < 0 ? rows : rows.slice(0, end);
}
