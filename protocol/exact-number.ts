/** Values of database rows are sent as JSON, and JavaScript stores numbers as doubles (IEEE 754). */

/**
 * Whether a number of a JSON text survives `JSON.parse` and `JSON.stringify`: 12345678901234567 does not, nor do
 * 0.1234567890123456789, 1e400 and -0.
 */
export function isExactNumber(text: string): boolean {
  const number = Number(text);
  return Number.isFinite(number) && !Object.is(number, -0) && digits(text) === digits(String(number));
}

/** Sign, digits without leading and trailing zeros, and exponent: `1.50`, `15e-1` and `1.5` are the same number. */
function digits(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const all = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = all.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + all.length - significant.length}`;
}
