/**
 * Where each row of a log is, in pixels. Rows that are not wrapped have one height. Wrapped ones break after a number of columns, so that their
 * heights are known without drawing 100,000 of them; what is not one column wide for each character is measured once it is shown.
 */
import { withoutColours } from './ansi.ts';
import type { Line } from './line.ts';

/** Height of a line of text in pixels, as in styles/log.css. */
export const rowHeight = 20;

/** Characters of plain text, each of which takes one column. */
const plain = /^[\x20-\x7e]*$/;

export interface RowPlaces {
  /** Pixels from the begin to a row; of the number of rows: the height of all. */
  top(index: number): number;
  /** The row at so many pixels from the begin. */
  at(pixels: number): number;
  /** Whether the height of the row is only a guess. */
  isGuess(index: number): boolean;
}

/**
 * @param columns after which rows break; undefined: they don't
 * @param measured how many rows of text lines take that were measured, by their ids
 */
export function rowPlaces(
  rows: readonly Line[],
  columns: number | undefined,
  measured: ReadonlyMap<number, number>,
): RowPlaces {
  if (columns === undefined)
    return {
      top: (index) => index * rowHeight,
      at: (pixels) => Math.floor(pixels / rowHeight),
      isGuess: () => false,
    };
  const tops = new Float64Array(rows.length + 1);
  for (const [index, line] of rows.entries()) {
    const texts = measured.get(line.id) ?? Math.max(1, Math.ceil(widthOf(line) / columns));
    tops[index + 1] = (tops[index] ?? 0) + texts * rowHeight;
  }
  return {
    top: (index) => tops[Math.min(index, rows.length)] ?? 0,
    at: (pixels) => lastAtOrBelow(tops, pixels),
    isGuess(index) {
      const row = rows[index];
      return row !== undefined && !measured.has(row.id) && !plain.test(withoutColours(row.line));
    },
  };
}

/** A line never changes, and all of them are placed again with each that comes. */
const widths = new WeakMap<Line, number>();

function widthOf(line: Line): number {
  const width = widths.get(line) ?? withoutColours(line.line).length;
  widths.set(line, width);
  return width;
}

/** The index of the last number that is not above `wanted`; of sorted numbers, the first of which is 0. */
function lastAtOrBelow(sorted: Float64Array, wanted: number): number {
  let [low, high] = [0, sorted.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((sorted[middle] ?? 0) <= wanted) low = middle;
    else high = middle - 1;
  }
  return low;
}
