/** Converts a client's row to words of a command. */
import type { DatabaseAskOf } from '../../../protocol/database.ts';
import { EngineError } from '../engine-error.ts';
import type { Json } from '../row.ts';
import { bytesOf } from './byte-text.ts';

export type Values = DatabaseAskOf<'insert'>['values'];

/** Requires exactly these columns. @throws EngineError `invalid_request` that names the column */
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

/** Accepts text in the form of `byte-text.ts`, or a number. @throws EngineError `invalid_request` that names the column */
export function wordOf(value: Json | undefined, column: string): Buffer {
  if (typeof value === 'string') return bytesOf(value, `\`${column}\``);
  if (typeof value === 'number') return Buffer.from(String(value));
  throw new EngineError('invalid_request', `\`${column}\` must be given as text, or as a number.`);
}
