/** Metrics in a terminal: the last value, the mean, the peak and a small curve of each series. */
import { size } from '../base/progress.ts';

export interface Series {
  name: string;
  unit: string;
  average: (number | null)[];
  maximum: (number | null)[];
}

const bars = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/** Columns of a curve. */
const curveWidth = 40;

/** Rows of a table: name, last, mean, peak, curve. Series without any value are left out. */
export function seriesRows(
  series: readonly Series[],
  limits: Readonly<Record<string, number | null>>,
): string[][] {
  return series
    .filter(({ average }) => average.some((value) => value !== null))
    .map(({ name, unit, average, maximum }) => {
      const known = average.filter((value) => value !== null);
      const total = known.reduce((sum, value) => sum + value, 0);
      // Counts are added up.
      const isCount = unit === 'restarts' || unit === 'kills';
      const peak = Math.max(...maximum.filter((value) => value !== null));
      const limit = limits[name];
      return [
        name,
        amount(average.findLast((value) => value !== null) ?? 0, unit),
        isCount ? `${total} in all` : amount(total / known.length, unit),
        amount(peak, unit) + (limit ? ` of ${amount(limit, unit)}` : ''),
        curve(maximum),
      ];
    });
}

/** A number with its unit, short. */
export function amount(value: number, unit: string): string {
  if (unit === 'bytes') return size(Math.round(value));
  if (unit === 'bytes/s') return `${size(Math.round(value))}/s`;
  const digits = value === 0 || value >= 100 ? Math.round(value) : Number(value.toPrecision(3));
  if (unit === 'requests/s') return `${digits}/s`;
  if (unit === 'ms') return `${digits} ms`;
  return unit === 'cores' ? `${digits} cores` : String(digits);
}

/** A bar for each part of the time, from zero to the peak; a space where no value is known. */
export function curve(values: readonly (number | null)[], width = curveWidth): string {
  const columns = Math.min(width, values.length);
  const parts = Array.from({ length: columns }, (_, at) =>
    values
      .slice(Math.floor((at * values.length) / columns), Math.floor(((at + 1) * values.length) / columns))
      .filter((value) => value !== null),
  );
  const peaks = parts.map((part) => (part.length === 0 ? null : Math.max(...part)));
  const highest = Math.max(...peaks.map((peak) => peak ?? 0), Number.MIN_VALUE);
  return peaks
    .map((peak) => (peak === null ? ' ' : bars[Math.round((peak / highest) * (bars.length - 1))]))
    .join('');
}
