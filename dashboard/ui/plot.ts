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

/** The share of the drawing's height at which a value is, from 0 at the bottom to 1. */
export type Scale = (value: number) => number;
/** A scale from 0 to this end. */
export const scaleTo =
  (end: number): Scale =>
  (value) =>
    value / end;

export interface Axis {
  scale: Scale;
  /** Round values with a line and a text, from the bottom up. */
  ticks: number[];
}

/** From 0 to a round value above the highest, in three to five equal steps. */
export function axisTo(highest: number, unit: string): Axis {
  const base = unit.startsWith('bytes') && highest > 0 ? 1024 ** Math.floor(Math.log2(highest) / 10) : 1;
  const value = highest <= 0 ? 1 : highest / base;
  const power = 10 ** Math.floor(Math.log10(value / 4));
  const step = ([1, 2, 2.5, 5, 10].find((one) => value / (one * power) <= 4.001) ?? 10) * power;
  const count = Math.max(1, Math.ceil(value / step - 0.001));
  const ticks = Array.from({ length: count + 1 }, (_, at) => at * step * base);
  return { scale: scaleTo(count * step * base), ticks };
}

/** Powers of ten around the values, so that a median is no flat line below a high percentile. */
export function logAxis(lowest: number, highest: number): Axis {
  const from = Math.floor(Math.log10(Math.max(lowest, 0.01)) + 0.001);
  const to = Math.max(from + 1, Math.ceil(Math.log10(Math.max(highest, 0.01)) - 0.001));
  const ticks = Array.from({ length: to - from + 1 }, (_, at) => 10 ** (from + at));
  const scale = (value: number) => (Math.log10(Math.max(value, 10 ** from)) - from) / (to - from);
  return { scale, ticks };
}

/** The area between two lines of the same length; values that are not known are 0. */
export function areaPath(lower: readonly number[], upper: readonly number[], scale: Scale): string {
  if (upper.length === 0) return '';
  const there = upper.map((_, index) => placeOf(upper, index, scale));
  const back = lower.map((_, index) => placeOf(lower, index, scale)).reverse();
  return `M${[...there, ...back].join('L')}Z`;
}

/** A path through the points, interrupted at unknown values. Single points are in `singlePoints`. */
export function linePath(values: readonly (number | null)[], end: number | Scale): string {
  let path = '';
  values.forEach((value, index) => {
    if (value === null || isSingle(values, index)) return;
    path += `${(values[index - 1] ?? null) === null ? 'M' : 'L'}${placeOf(values, index, end)}`;
  });
  return path;
}

/** The points between gaps, which no line reaches. Each is a line to itself, which a round cap turns into a dot. */
export function singlePoints(values: readonly (number | null)[], end: number | Scale): string {
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

function placeOf(values: readonly (number | null)[], index: number, end: number | Scale): string {
  const scale = typeof end === 'number' ? scaleTo(end) : end;
  const step = plotSize.width / Math.max(1, values.length - 1);
  return `${(index * step).toFixed(1)} ${(plotSize.height * (1 - scale(values[index] ?? 0))).toFixed(2)}`;
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
  if (unit === '%') return `${text} %`;
  return unit === 'requests/s' ? `${text}/s` : text;
}

export const highestOf = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((most, value) => Math.max(most, value));
};
