/** Names that somebody may have meant. */

const listedMax = 20;

/** Edits (insert, remove, replace) from one text to the other. */
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

/** Up to three of the names, nearest first; those that share less than half of their letters are left out. */
function nearest(wanted: string, names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, edits: distance(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= Math.max(wanted.length, name.length) / 2)
    .sort((a, b) => a.edits - b.edits || a.name.localeCompare(b.name))
    .slice(0, 3)
    .map(({ name }) => name);
}

/** "There is no X. Did you mean a or b?", or the whole list if nothing is near. */
export function missingName(what: string, wanted: string, names: readonly string[]): string {
  const near = nearest(wanted, names);
  const left = names.length - listedMax;
  const rest = left > 0 ? ` and ${left} more` : '';
  const all =
    names.length > 0 ? `There are: ${names.slice(0, listedMax).join(', ')}${rest}.` : 'There are none.';
  return `There is no ${what} "${wanted}". ${near.length > 0 ? `Did you mean ${near.join(' or ')}?` : all}`;
}
