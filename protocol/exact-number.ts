/** Values of database rows are sent as JSON, and JavaScript stores numbers as doubles (IEEE 754). */

/**
 * Whether a number in a JSON text is unchanged by `JSON.parse` and `JSON.stringify`. 12345678901234567 is changed, and so are
 * 0.1234567890123456789, 1e400 and -0.
 */
export function isExactNumber(text: string): boolean {
  const number = Number(text);
  return Number.isFinite(number) && !Object.is(number, -0) && isSameNumber(text, String(number));
}

/** Whether two decimal texts are the same number, as `1.50`, `15e-1` and `+1.5` are. The sign of zero does not count. */
export function isSameNumber(one: string, other: string): boolean {
  const [first, second] = [partsOf(one), partsOf(other)];
  if (first.significant === '' || second.significant === '') return first.significant === second.significant;
  return (
    first.sign === second.sign &&
    first.significant === second.significant &&
    first.exponent === second.exponent
  );
}

/** The number of decimals that a number needs: 2 for `1.50e-1`, 0 for `15`, -1 for `150`. Zero needs no digit at any place. */
export function decimalsOf(text: string): number {
  const { significant, exponent } = partsOf(text);
  return significant === '' ? Number.NEGATIVE_INFINITY : 0 - exponent;
}

/** The number is `sign significant * 10^exponent`. `significant` has no leading or trailing zeros, and is empty for zero. */
function partsOf(text: string): { sign: string; significant: string; exponent: number } {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^\+?(-?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const all = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = all.replace(/0+$/, '');
  return {
    sign,
    significant,
    exponent: Number(exponent) - fraction.length + all.length - significant.length,
  };
}
