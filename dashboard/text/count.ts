/** A number with its noun: `1 line`, `2 lines`. */
export const count = (n: number, one: string, many = `${one}s`) =>
  `${n.toLocaleString('en')} ${n === 1 ? one : many}`;
