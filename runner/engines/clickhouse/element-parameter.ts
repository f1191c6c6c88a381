/** The elements of lists, maps and tuples as parameters: between brackets the server takes numbers without quotes only. */
import { TupleParam } from '@clickhouse/client';
import type { Json } from '../row.ts';
import { elementsOf, parsedType } from './column-type.ts';

/** As which the client writes the words without quotes. */
const endless: Readonly<Record<string, number>> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  '-inf': Number.NEGATIVE_INFINITY,
};

/** @param value fits its type (fit.ts), so that no number changes here */
export function elementParameter(type: string, value: Json): unknown {
  if (value === null) return value;
  const parsed = parsedType(type);
  const { name, parameters } = parsed;
  const [first = '', second = ''] = parameters;
  if (name === 'Nullable' || name === 'LowCardinality') return elementParameter(first, value);
  if (typeof value === 'object') {
    if (name === 'Array' && Array.isArray(value)) return value.map((one) => elementParameter(first, one));
    if (name === 'Tuple') {
      const elements = elementsOf(parsed);
      const list = Array.isArray(value) ? value : elements.map((one) => value[one.name ?? ''] ?? null);
      return new TupleParam(list.map((one, at) => elementParameter(elements[at]?.type ?? '', one)));
    }
    if (name !== 'Map') return value;
    const entries = Object.entries(value).map(
      ([key, one]) => [elementParameter(first, key), elementParameter(second, one)] as const,
    );
    return new Map(entries);
  }
  if (typeof value !== 'string') return value;
  if (/^U?Int\d+$/.test(name)) return BigInt(value);
  return /^Float\d+$/.test(name) ? (endless[value] ?? Number(value)) : value;
}
