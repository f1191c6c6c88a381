/** Arrays in PostgreSQL's text format: https://www.postgresql.org/docs/17/arrays.html#ARRAYS-IO */
import type { Json } from '../row.ts';

/**
 * @param element converts an element's text
 * @returns the text itself if the array has bounds that JSON can't express (`[2:3]={1,2}`)
 */
export function parseArray(text: string, element: (text: string) => Json): Json {
  if (!text.startsWith('{')) return text;
  // `{`, `}`, a quoted element, or a bare one.
  const parts = text.matchAll(/[{}]|"((?:[^"\\]|\\.)*)"|[^{},"]+/gs);
  const outer: Json[] = [];
  const open: Json[][] = [outer];
  for (const [part, quoted] of parts) {
    const inner = open.at(-1) ?? outer;
    if (part === '{') {
      const nested: Json[] = [];
      inner.push(nested);
      open.push(nested);
    } else if (part === '}') open.pop();
    else if (quoted !== undefined) inner.push(element(quoted.replace(/\\(.)/gs, '$1')));
    else inner.push(part === 'NULL' ? null : element(part));
  }
  return outer[0] ?? [];
}

/** @param element returns an element's text */
export function arrayText(list: readonly Json[], element: (value: Json) => string | null): string {
  const parts = list.map((value) => {
    if (Array.isArray(value)) return arrayText(value, element);
    const text = element(value);
    return text === null ? 'NULL' : `"${text.replace(/["\\]/g, '\\$&')}"`;
  });
  return `{${parts.join(',')}}`;
}
