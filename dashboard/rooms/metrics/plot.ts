/** Points of a chart as SVG paths, and values as texts: everything that needs no page. */
import { sizeText } from '../../ui/size.ts';

/** Of the drawing; the page stretches it. */
export const plotSize = { width: 1000, height: 100 } as const;

/** The next of 1, 2, 5, 10, 20, ... above the value, so that the scale has a round end. Of bytes in steps of 1,024. */
export function roundEnd(highest: number, unit: string): number {
  if (highest <= 0) return 1;
  const base = unit.startsWith('bytes') ? 1024 ** Math.floor(Math.log2(highest) / 10) : 1;
  const value = highest / base;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = [1, 2, 5, 10].find((one) => value <= one * power) ?? 10;
  return step * power * base;
}

/** A path through the points; where nothing is known it is interrupted. A single point is a dot. */
export function linePath(values: readonly (number | null)[], end: number): string {
  const step = plotSize.width / Math.max(1, values.length - 1);
  let path = '';
  values.forEach((value, index) => {
    if (value === null) return;
    const isBegin = (values[index - 1] ?? null) === null;
    const isAlone = isBegin && (values[index + 1] ?? null) === null;
    const x = (index * step).toFixed(1);
    const y = (plotSize.height * (1 - value / end)).toFixed(2);
    path += `${isBegin ? 'M' : 'L'}${x} ${y}${isAlone ? `L${x} ${y}` : ''}`;
  });
  return path;
}

/** The value in its unit, short. */
export function valueText(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined) return '–';
  if (unit === 'bytes') return sizeText(value);
  if (unit === 'bytes/s') return `${sizeText(value)}/s`;
  if (unit === 'ms') return `${value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString('en')} ms`;
  const format = value < 1 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: value < 10 ? 2 : 1 };
  const text = value.toLocaleString('en', format);
  return unit === 'requests/s' ? `${text}/s` : text;
}

export const highestOf = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((most, value) => Math.max(most, value));
};
