/** Adds a number to repeated column names, so that no column gets lost in an object. */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set(names);
  const seen = new Set<string>();
  return names.map((name) => {
    let free = name;
    for (let count = 2; seen.has(free) || (free !== name && taken.has(free)); count++)
      free = `${name}_${count}`;
    seen.add(free);
    return free;
  });
}
