/** A list of words: "a", "a or b", "a, b or c". */
export const either = (words: readonly string[]): string =>
  [words.slice(0, -1).join(', '), ...words.slice(-1)].filter(Boolean).join(' or ');
