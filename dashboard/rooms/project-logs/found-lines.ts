/** The lines of a search over several services, in the order of their times, each once. */
import type { KeptLine } from '../../api/follow-kept.ts';

const keyOf = ({ serviceId, id }: KeptLine) => `${serviceId} ${id}`;

/** Ids are the times of lines, so they order the lines of several services too. */
const order = (one: KeptLine, other: KeptLine) => one.id - other.id;

/**
 * @param keepMax lines; of more, the oldest go
 * @returns the lines with others, oldest first. Those that are known keep their place and identity
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
