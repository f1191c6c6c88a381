/** JSON documents whose numbers JavaScript may not hold. */
import type { Json } from './row.ts';

/** What no parser or validator on the way refuses. */
const depthMax = 100;

/**
 * The document itself where it is an object, a list, a number or a boolean and loses nothing; else its text. A string and `null` stay
 * JSON text, too: so a column's `"a"` is never taken for a document, nor its `null` for a missing value, and every answer can be sent back.
 */
export function exactJson(text: string): Json {
  try {
    const value: Json = JSON.parse(text);
    if (value === null || typeof value === 'string') return text;
    const bare = text.replace(/"[^"\\]*(?:\\.[^"\\]*)*"/gs, '""');
    const isExact =
      isShallow(bare) &&
      [...bare.matchAll(/-?\d[\d.eE+-]*/g)].every(([number]) => isExactNumber(number)) &&
      // The type json keeps a name that stands twice.
      members(value) === bare.split(':').length - 1;
    return isExact ? value : text;
  } catch {
    // A text larger than the regular expression's stack.
    return text;
  }
}

/** Whether the number means the same after JavaScript had it. */
function isExactNumber(text: string): boolean {
  const number = Number(text);
  return Number.isFinite(number) && !Object.is(number, -0) && digits(text) === digits(String(number));
}

/** Sign, digits without zeros around them, and exponent: `1.50`, `15e-1` and `1.5` are one number. */
function digits(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const all = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = all.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + all.length - significant.length}`;
}

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
