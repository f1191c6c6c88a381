/** The lines of a search over several services, sorted by time, without duplicates. */
import type { KeptLine } from '../../../api/follow-kept.ts';

const keyOf = ({ serviceId, id }: KeptLine) => `${serviceId} ${id}`;

/** Ids are the times of lines, so they also sort lines of several services. */
const order = (one: KeptLine, other: KeptLine) => one.id - other.id;

/**
 * @param keepMax above this number the oldest lines are dropped
 * @returns the lines with the new ones, oldest first. Known lines keep their place and identity
 */
export function withLines(
  known: readonly KeptLine[],
  more: readonly KeptLine[],
  keepMax = Number.POSITIVE_INFINITY,
): KeptLine[] {
  const keys = new Set(known.map(keyOf));
  const added = more.filter((line) => !keys.has(keyOf(line)));
  const all = [...known, ...added].sort(order);
  return all.length > keepMax ? all.slice(all.length - keepMax) : all;
}
