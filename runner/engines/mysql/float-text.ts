/** The largest FLOAT. Its shortest text, 3.4028235e38, is larger than it, and MySQL refuses that text. */
const floatMax = 2 ** 127 * (2 - 2 ** -23);

/**
 * The shortest number that is read back as the same 32-bit float. A whole number gets all its digits. MySQL itself prints a FLOAT with
 * 6 digits; 9 are needed at most.
 * @param value of a FLOAT column, as a 64-bit number
 */
export function shortestFloat(value: number): string {
  if (Math.abs(value) === floatMax) return value < 0 ? '-3.4028234e38' : '3.4028234e38';
  if (Number.isSafeInteger(value) && !Object.is(value, -0)) return String(value);
  for (let digits = 6; digits < 9; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(Number(value.toPrecision(9)));
}
