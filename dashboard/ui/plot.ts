/** Points of a chart as SVG paths, and values as texts, without access to the page. */
import { sizeText } from './size.ts';

/** Size of the drawing; the page stretches it. */
export const plotSize = { width: 1000, height: 100 } as const;

/** The next of 1, 2, 5, 10, 20, ... above the value, for a round end of the scale. For bytes in steps of 1,024. */
export function roundEnd(highest: number, unit: string): number {
  if (highest <= 0) return 1;
  const base = unit.startsWith('bytes') ? 1024 ** Math.floor(Math.log2(highest) / 10) : 1;
  const value = highest / base;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((one) => value <= one * power) ?? 10;
  return step * power * base;
}

/** A path through the points, interrupted at unknown values. Single points are in `singlePoints`. */
export function linePath(values: readonly (number | null)[], end: number): string {
  let path = '';
  values.forEach((value, index) => {
    if (value === null || isSingle(values, index)) return;
    path += `${(values[index - 1] ?? null) === null ? 'M' : 'L'}${placeOf(values, index, end)}`;
  });
  return path;
}

/** The points between gaps, which no line reaches. Each is a line to itself, which a round cap turns into a dot. */
export function singlePoints(values: readonly (number | null)[], end: number): string {
  let path = '';
  values.forEach((value, index) => {
    if (value === null || !isSingle(values, index)) return;
    const place = placeOf(values, index, end);
    path += `M${place}L${place}`;
  });
  return path;
}

const isSingle = (values: readonly (number | null)[], index: number) =>
  (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null;

function placeOf(values: readonly (number | null)[], index: number, end: number): string {
  const step = plotSize.width / Math.max(1, values.length - 1);
  return `${(index * step).toFixed(1)} ${(plotSize.height * (1 - (values[index] ?? 0) / end)).toFixed(2)}`;
}

/** The value with its unit, in a short form. */
export function valueText(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined) return '–';
  if (unit === 'bytes') return sizeText(value);
  if (unit === 'bytes/s') return `${sizeText(value)}/s`;
  if (unit === 'ms') return `${value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en')} ms`;
  const format = value < 1 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: value < 10 ? 2 : 1 };
  const text = value.toLocaleString('en', format);
  if (unit === 'cores') return `${text} ${value === 1 ? 'core' : 'cores'}`;
  return unit === 'requests/s' ? `${text}/s` : text;
}

export const highestOf = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((most, value) => Math.max(most, value));
};
