/** Which chart fits the rows of a statement, without access to the page. */
import type { Column, Row } from '../table-types.ts';

export interface ResultChart {
  /** Bars for few rows with names, else lines. */
  kind: 'bars' | 'lines';
  labels: readonly string[];
  series: readonly { name: string; values: readonly (number | null)[] }[];
}

/** More bars are thinner than their names, and more lines or points can't be told apart. */
const barsMax = 40;
const seriesMax = 6;
const pointsMax = 1_000;

/**
 * The first column without numbers names the rows; the columns with numbers are drawn. Numbers that the API sends as texts, because they have many
 * digits, are drawn as doubles: a chart shows no digits.
 * @returns undefined: no column has numbers, or there are fewer than two rows
 */
export function chartOf(
  columns: readonly Pick<Column, 'name'>[],
  rows: readonly Row[],
): ResultChart | undefined {
  if (rows.length < 2) return undefined;
  const shown = rows.slice(0, pointsMax);
  const numeric = columns.filter(
    ({ name }) => shown.some((row) => row[name] !== null) && shown.every((row) => isNumber(row[name])),
  );
  const label = columns.find((column) => !numeric.includes(column));
  // A single column of numbers that counts the rows would be a line of itself.
  const drawn = numeric.filter(
    ({ name }) => label !== undefined || name !== numeric[0]?.name || numeric.length === 1,
  );
  if (drawn.length === 0) return undefined;
  const naming = label ?? (numeric.length > 1 ? numeric[0] : undefined);
  return {
    kind: label !== undefined && shown.length <= barsMax ? 'bars' : 'lines',
    labels: shown.map((row, index) =>
      naming === undefined ? String(index + 1) : String(row[naming.name] ?? ''),
    ),
    series: drawn.slice(0, seriesMax).map(({ name }) => ({
      name,
      values: shown.map((row) => (row[name] === null || row[name] === undefined ? null : Number(row[name]))),
    })),
  };
}

const isNumber = (value: unknown) =>
  value === null ||
  value === undefined ||
  typeof value === 'number' ||
  (typeof value === 'string' && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value));
