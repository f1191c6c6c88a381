/**
 * Whether the whole text matches a pattern: `*` stands for any characters except `/`, `**` for any characters, as in the filters of GitHub's
 * workflows (https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#filter-pattern-cheat-sheet). All other
 * characters stand for themselves. Takes time proportional to both lengths, for any pattern.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  /** At each place of the text: whether the part of the pattern that was read matches everything before this place. */
  let matched = Array.from({ length: text.length + 1 }, (_, at) => at === 0);
  for (const token of pattern.match(/\*\*|[\s\S]/g) ?? []) {
    const next: boolean[] = [];
    for (let at = 0; at <= text.length; at++) {
      const last = text[at - 1];
      const extendsWildcard = token === '**' || (token === '*' && last !== '/');
      const isWildcard = token === '*' || token === '**';
      next[at] = isWildcard
        ? matched[at] === true || (at > 0 && next[at - 1] === true && extendsWildcard)
        : at > 0 && matched[at - 1] === true && last === token;
    }
    matched = next;
  }
  return matched[text.length] === true;
}
