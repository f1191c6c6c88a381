/** Suggestions for mistyped names. */

const listedMax = 20;

/** The number of edits (insert, remove, replace) from one text to the other. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** Up to three of the names, nearest first. Names that share less than half of their letters are left out. */
function nearest(wanted: string, names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, edits: distance(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.max(wanted.length, name.length) / 2)
    .sort((a, b) => a.edits - b.edits || a.name.localeCompare(b.name))
    .slice(0, 3)
    .map(({ name }) => name);
}

/**
 * "There is no X. Did you mean a or b?", or the whole list if no name is similar.
 * @param toCreate the sentence that says how to create it, for a name that is similar to none
 */
export function missingName(what: string, wanted: string, names: readonly string[], toCreate = ''): string {
  const near = nearest(wanted, names);
  const left = names.length - listedMax;
  const rest = left > 0 ? ` and ${left} more` : '';
  const all =
    names.length > 0 ? `There are: ${names.slice(0, listedMax).join(', ')}${rest}.` : 'There are none.';
  if (near.length > 0) return `There is no ${what} "${wanted}". Did you mean ${near.join(' or ')}?`;
  return `There is no ${what} "${wanted}". ${all}${toCreate && ` ${toCreate}`}`;
}
