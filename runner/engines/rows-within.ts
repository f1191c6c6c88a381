import type { Row } from './row.ts';

/** The first rows whose JSON takes at most `bytesMax` bytes in all. JSON can be larger than what was read: hexadecimal doubles the size. */
export function rowsWithin(rows: Row[], bytesMax: number): Row[] {
  let left = bytesMax;
  const end = rows.findIndex((row) => {
    left -= Buffer.byteLength(JSON.stringify(row));
    return left < 0;
  });
  return end < 0 ? rows : rows.slice(0, end);
}
