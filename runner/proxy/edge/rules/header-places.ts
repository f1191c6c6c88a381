/**
 * Passes header rules from edge to Caddy. Caddy's config never changes, so it has a fixed number of places per direction. In each place,
 * the name to set, add or remove and the value are placeholders for headers of edge's answer. An empty name changes nothing.
 */
import { headerRulesMax } from '../../../../protocol/traffic/traffic-limits.ts';
import type { HeaderRule } from '../../../../protocol/traffic/traffic-rules.ts';

export const directions = ['request', 'response'] as const;
export type Direction = (typeof directions)[number];
export const placeFields = ['set', 'add', 'remove', 'value'] as const;

/** The number of places. Requests have one more: the password of basic authentication is removed from them. */
const placesIn = { request: headerRulesMax + 1, response: headerRulesMax };

/** Present if an answer has header rules. */
export const headersFlag = 'X-Longshore-Headers';

export const placesOf = (direction: Direction): number[] =>
  Array.from({ length: placesIn[direction] }, (_, index) => index);

/** The name in Go's canonical case, which Caddy uses in the placeholder. */
export const placeHeader = (direction: Direction, index: number, field: (typeof placeFields)[number]) =>
  `X-Longshore-${capital(direction)}-${index}-${capital(field)}`;

/** The headers of edge's answer that carry these rules. */
export function headersOf(rules: Record<Direction, readonly HeaderRule[]>): Record<string, string> {
  const entries = directions.flatMap((direction) =>
    rules[direction].slice(0, placesIn[direction]).flatMap(({ action, name, value }, index) => [
      [placeHeader(direction, index, action), name],
      [placeHeader(direction, index, 'value'), value],
    ]),
  );
  return entries.length === 0 ? {} : { ...Object.fromEntries(entries), [headersFlag]: 'yes' };
}

const capital = (word: string) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`;
