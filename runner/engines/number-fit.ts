/**
 * Checks whether a column keeps a number unchanged. Servers round a number to the type of its column without an error. A row would then
 * have a value that was never sent, and a rounded key would identify another row.
 */
import { decimalsOf, isSameNumber } from '../../protocol/exact-number.ts';

const numberPattern = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,5})?$/i;
/** A float has at most 767 significant digits, but no client sends more than these. */
const digitsMax = 100;

/**
 * The reason why a float column would round this number, as the end of a sentence; `undefined` if it would not, or if the text is no
 * number. A text is kept if it is the shortest text of a float, in JavaScript's form, or if the float has the same text at as many digits:
 * 0.1 is kept, and so is 0.10000000000000001.
 */
export function misfitOfFloat(text: string, type: string, bits: 32 | 64): string | undefined {
  const number = text.trim();
  if (!numberPattern.test(number)) return undefined;
  const kept = bits === 32 ? Math.fround(Number(number)) : Number(number);
  if (!Number.isFinite(kept)) return `is ${type}, which can't hold ${shown(number)}`;
  const digits = number.replace(/e.*/i, '').replace(/\D/g, '').replace(/^0+/, '').length;
  const [least, same] = [shortest(kept, bits), kept.toPrecision(Math.min(Math.max(1, digits), digitsMax))];
  if (isSameNumber(number, least) || isSameNumber(number, same)) return undefined;
  return `is ${type}, which would round ${shown(number)} to ${least}: send a number that it holds`;
}

/** The same for a column with a fixed number of decimals. */
export function misfitOfScale(text: string, type: string, scale: number): string | undefined {
  const number = text.trim();
  if (!numberPattern.test(number) || decimalsOf(number) <= scale) return undefined;
  return `is ${type}, which would round ${shown(number)}: send at most ${Math.max(0, scale)} decimals`;
}

/** The fewest digits that identify the float. */
function shortest(value: number, bits: 32 | 64): string {
  if (bits === 64) return String(value);
  for (let digits = 1; digits < 9; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(Number(value.toPrecision(9)));
}

const shown = (number: string) => number.slice(0, 50);
