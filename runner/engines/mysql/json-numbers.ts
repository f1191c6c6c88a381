/**
 * MySQL keeps a number in a JSON document as a 64-bit integer or as a double, and rounds every other number without a word.
 * https://dev.mysql.com/doc/refman/9.4/en/json.html#json-values
 */
import { numbersIn } from '../exact-json.ts';
import { misfitOfFloat } from '../number-fit.ts';

const integers = { least: -(2n ** 63n), most: 2n ** 64n - 1n };

/** Why a document would be changed, as the end of a sentence. Undefined: it is kept, or it is no JSON, which the server refuses. */
export function misfitOfDocument(text: string): string | undefined {
  const number = numbersIn(text).find((one) => !isKept(one));
  if (number === undefined) return undefined;
  return `is json, in which MySQL would round ${number.slice(0, 50)}: put this number in quotes`;
}

function isKept(number: string): boolean {
  if (!/^-?\d+$/.test(number)) return misfitOfFloat(number, 'double', 64) === undefined;
  const value = BigInt(number);
  const isInteger = value >= integers.least && value <= integers.most && number !== '-0';
  return isInteger || (number !== '-0' && misfitOfFloat(number, 'double', 64) === undefined);
}
