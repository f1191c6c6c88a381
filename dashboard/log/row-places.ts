/**
 * The position of each row of a log, in pixels. Rows without wrapping have one height. Wrapped rows break after a number of columns, so their
 * heights are known without drawing 100,000 of them. Rows with characters that are not one column wide are measured once they are shown.
 */
import { withoutColours } from './ansi.ts';
import type { Line } from './line.ts';

/** Height of a line of text in pixels, as in styles/log.css. */
export const rowHeight = 20;

/** Plain text, in which each character takes one column. */
const plain = /^[\x20-\x7e]*$/;

export interface RowPlaces {
  /** Pixels from the top to a row. For the number of rows: the total height. */
  top(index: number): number;
  /** The row at this distance from the top. */
  at(pixels: number): number;
  /** Whether the height of the row is only estimated. */
  isGuess(index: number): boolean;
}

/**
 * @param columns at which rows break; undefined: no wrapping
 * @param measured heights of measured lines in rows of text, by line id
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

/** Known widths: a line never changes, but all lines are placed again with each new one. */
const widths = new WeakMap<Line, number>();

function widthOf(line: Line): number {
  const width = widths.get(line) ?? withoutColours(line.line).length;
  widths.set(line, width);
  return width;
}

/** The index of the last number that is not above `wanted`. The numbers are sorted, and the first is 0. */
function lastAtOrBelow(sorted: Float64Array, wanted: number): number {
  let [low, high] = [0, sorted.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((sorted[middle] ?? 0) <= wanted) low = middle;
    else high = middle - 1;
  }
  return low;
}
