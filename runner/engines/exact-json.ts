/** JSON documents with numbers that JavaScript may not be able to hold exactly. */
import { isExactNumber } from '../../protocol/exact-number.ts';
import type { Json } from './row.ts';

/** Every parser and validator that the value passes through accepts this depth. */
const depthMax = 100;

/**
 * Returns the document itself when it is an object, a list, a number or a boolean and nothing gets lost; otherwise its text. A string and
 * `null` also stay JSON text, so a column's `"a"` is never mistaken for a document nor its `null` for a missing value, and every answer can
 * be sent back.
 */
export function exactJson(text: string): Json {
  try {
    const value: Json = JSON.parse(text);
    if (value === null || typeof value === 'string') return text;
    const bare = withoutStrings(text);
    // The type json keeps duplicate names.
    const isExact = isShallow(bare) && numbersOf(bare).every(isExactNumber) && !hasRepeatedNames(value, bare);
    return isExact ? value : text;
  } catch {
    // The text is too large for the regular expression's stack.
    return text;
  }
}

/** The numbers of a JSON text, in their original form. @throws RangeError when a string in it is too large for the regular expression */
export const numbersIn = (text: string): string[] => numbersOf(withoutStrings(text));

/** True if an object in the JSON text has a name twice. @param value the result of `JSON.parse` */
export const repeatsNames = (value: Json, text: string): boolean =>
  hasRepeatedNames(value, withoutStrings(text));

const withoutStrings = (text: string) => text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/gs, '""');
const numbersOf = (bare: string) => [...bare.matchAll(/-?\d[\d.eE+-]*/g)].map(([number]) => number);
const hasRepeatedNames = (value: Json, bare: string) => members(value) !== bare.split(':').length - 1;

function isShallow(bare: string): boolean {
  let depth = 0;
  for (const [bracket] of bare.matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    if (depth > depthMax) return false;
  }
  return true;
}

function members(value: Json): number {
  if (value === null || typeof value !== 'object') return 0;
  const inner = Object.values(value);
  return inner.reduce<number>((sum, one) => sum + members(one), Array.isArray(value) ? 0 : inner.length);
}
