/** Converts a client's row to words of a command. */
import type { DatabaseAskOf } from '../../../protocol/database.ts';
import { EngineError } from '../engine-error.ts';
import { misfitOfFloat } from '../number-fit.ts';
import type { Json } from '../row.ts';
import { bytesOf } from './byte-text.ts';

export type Values = DatabaseAskOf<'insert'>['values'];

/** A score, which Redis keeps as a double. @throws EngineError `invalid_request` for a number that a double would round */
export function scoreOf(value: Json | undefined): Buffer {
  if (typeof value === 'number') return Buffer.from(String(value));
  const score = wordOf(value, 'score');
  const misfit = misfitOfFloat(score.toString(), 'a double', 64);
  if (/^-(?:0+\.?0*|\.0+)(?:e.*)?$/i.test(score.toString()))
    throw new EngineError('invalid_request', '`score` is -0, which Redis may store as 0: send 0.');
  if (misfit === undefined) return score;
  throw new EngineError('invalid_request', `\`score\` ${misfit}.`);
}

/** Requires exactly these columns. @throws EngineError `invalid_request` with the column's name */
export function rowWords<Column extends string>(
  values: Values,
  columns: readonly Column[],
): Record<Column, Buffer> {
  const unknown = Object.keys(values).find((name) => !columns.some((column) => column === name));
  if (unknown !== undefined) {
    const message = `${unknown} is not allowed here; allowed: ${columns.join(', ') || 'nothing more'}.`;
    throw new EngineError('invalid_request', message);
  }
  const words = columns.map((column) => [column, wordOf(values[column], column)]);
  return Object.fromEntries(words) as Record<Column, Buffer>;
}

/**
 * Accepts text in the form of `byte-text.ts`, or a number whose text certainly equals the client's: JavaScript writes large and small ones
 * with an exponent.
 * @throws EngineError `invalid_request` with the column's name
 */
export function wordOf(value: Json | undefined, column: string): Buffer {
  if (typeof value === 'string') return bytesOf(value, `\`${column}\``);
  if (typeof value === 'number') {
    const text = String(value);
    const isSure = Number.isInteger(value) ? Number.isSafeInteger(value) : !text.includes('e');
    if (isSure) return Buffer.from(text);
    const message = `\`${column}\` has the number ${text}, which can be written in more than one way: send it as text.`;
    throw new EngineError('invalid_request', message);
  }
  throw new EngineError('invalid_request', `\`${column}\` must be given as text, or as a number.`);
}
