/**
 * The elements of lists, maps and tuples as parameters. Between brackets the server takes integers only without quotes and the client can't
 * write a decimal or a negative zero without them, so decimals and floats are bound as texts and cast by the server.
 */
import { TupleParam } from '@clickhouse/client';
import type { Json } from '../row.ts';
import { type Element, elementsOf, parsedType } from './column-type.ts';

/** The type for binding a value of this type: with texts in place of decimals and floats. */
export function boundType(type: string): string {
  const { name, parameters } = parsedType(type);
  if (isBoundAsText(name)) return 'String';
  switch (name) {
    case 'Nullable':
    case 'LowCardinality':
    case 'Array':
    case 'Map':
      return `${name}(${parameters.map(boundType).join(', ')})`;
    case 'Tuple':
      return `Tuple(${elementsOf({ name, parameters }).map(boundElement).join(', ')})`;
    case 'Nested':
      return boundType(listOfTuples(parameters));
    case 'SimpleAggregateFunction':
      return boundType(parameters.at(-1) ?? '');
    default:
      return type;
  }
}

/** @param value fits its type (fit.ts), so no number changes here */
export function elementParameter(type: string, value: Json): unknown {
  if (value === null) return value;
  const parsed = parsedType(type);
  const { name, parameters } = parsed;
  const [first = '', second = ''] = parameters;
  if (name === 'Nullable' || name === 'LowCardinality') return elementParameter(first, value);
  if (name === 'SimpleAggregateFunction') return elementParameter(parameters.at(-1) ?? '', value);
  if (name === 'Nested') return elementParameter(listOfTuples(parameters), value);
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
  if (isBoundAsText(name)) return String(value);
  return typeof value === 'string' && /^U?Int\d+$/.test(name) ? BigInt(value) : value;
}

const isBoundAsText = (name: string) => /^(?:Decimal|B?Float)\d*$/.test(name);
const boundElement = ({ quotedName, type }: Element) =>
  [quotedName, boundType(type)].filter(Boolean).join(' ');
const listOfTuples = (parameters: readonly string[]) => `Array(Tuple(${parameters.join(', ')}))`;
