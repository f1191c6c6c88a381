/**
 * Path patterns as in a `.gitignore` (https://git-scm.com/docs/gitignore#_pattern_format), with `*`, `**`, `?` and a leading `!`. The last
 * pattern that matches a path decides, also below a directory that an earlier one matched. A list that begins with `!` starts from all paths.
 * Not by regular expressions: a tenant's pattern must not take more than linear time for each segment of a path.
 */

/** What a pattern may hold: printable characters without the backslashes and classes that git knows too. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them
export const patternSyntax = /^!?[^!\\[\]\u0000-\u001f\u007f][^\\[\]\u0000-\u001f\u007f]*$/;

/** @returns whether the patterns choose this path, which is relative to the root of the repository and has "/" between its parts */
export function isChosen(patterns: readonly string[], path: string): boolean {
  const parts = path.split('/');
  const last = patterns.findLast((pattern) => matches(pattern.replace(/^!/, ''), parts));
  return last === undefined ? patterns[0]?.startsWith('!') === true : !last.startsWith('!');
}

function matches(pattern: string, path: readonly string[]): boolean {
  const wanted = pattern.replace(/^\/|\/$/g, '').split('/');
  const isAnchored = pattern.replace(/\/$/, '').includes('/');
  const parts = isAnchored ? wanted : ['**', ...wanted];
  const isDirectory = pattern.endsWith('/');
  // How many parts of the path the pattern's parts up to here can have matched. Below a match, everything matches.
  let reached = new Set([0]);
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const next = new Set<number>();
    for (const count of reached) {
      if (part === '**') {
        for (let end = isLast ? count + 1 : count; end <= path.length; end++) next.add(end);
      } else if (count < path.length && matchesPart(part, path[count] ?? '')) next.add(count + 1);
    }
    reached = next;
  }
  return [...reached].some((count) => count > 0 && (!isDirectory || count < path.length));
}

/** One part of a path against `*` and `?`. After a mismatch, the last `*` takes one more character. */
function matchesPart(pattern: string, text: string): boolean {
  let [at, star, taken] = [0, -1, 0];
  let index = 0;
  while (index < text.length) {
    if (pattern[at] === '*') {
      star = at++;
      taken = index;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === text[index])) {
      at++;
      index++;
    } else if (star >= 0) {
      at = star + 1;
      index = ++taken;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(at));
}
