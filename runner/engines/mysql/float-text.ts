/**
 * The shortest number that is read back as the same 32-bit float: MySQL itself prints a FLOAT with 6 digits, and 9 are needed at most.
 * @param value of a FLOAT column, as a 64-bit number
 */
export function shortestFloat(value: number): string {
  for (let digits = 6; digits < 9; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(Number(value.toPrecision(9)));
}
