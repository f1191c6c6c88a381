/** The names in a sentence: the rest of a longer list is only counted. */
const namesMax = 5;

export const listed = (names: readonly string[]): string =>
  names.length > namesMax
    ? `${names.slice(0, namesMax).join(', ')} and ${names.length - namesMax} more`
    : names.join(', ');
