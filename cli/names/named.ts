/** Finds an element of a list by its id or name. */
import { usageFailure } from '../base/failure.ts';
import { missingName } from './nearest.ts';

/** @param what such as `key` @throws Failure (usage) with the nearest names, or if several elements have the name */
export function findNamed<One extends { id: string }>(
  what: string,
  all: readonly One[],
  wanted: string,
  nameOf: (one: One) => string,
): One {
  const byId = all.find(({ id }) => id === wanted);
  if (byId !== undefined) return byId;
  const [first, ...more] = all.filter((one) => nameOf(one) === wanted);
  if (first === undefined) throw usageFailure(missingName(what, wanted, all.map(nameOf)));
  if (more.length === 0) return first;
  const ids = [first, ...more].map(({ id }) => id).join(', ');
  throw usageFailure(`The ${what} "${wanted}" is ambiguous. Name one of: ${ids}`);
}
