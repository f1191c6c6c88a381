/** What PostgreSQL and its driver say, as the sentence that the user gets. */
import pg from 'pg';
import type { DatabaseRefusal } from '../../../protocol/database.ts';
import { engineTimeoutMs } from '../engine.ts';
import { EngineError } from '../engine-error.ts';

/** What was asked, where the error can point into it. */
interface Asked {
  /** The statement, when it is the user's own. */
  text?: string;
  /** The longest that the server was told to work on it. */
  timeoutMs: number;
}

/**
 * Codes: https://www.postgresql.org/docs/17/errcodes-appendix.html. Class 23: constraints; 08, 53, 57P and 28: no connection, or not with
 * these credentials.
 */
const codeOfState: [RegExp, DatabaseRefusal][] = [
  [/^(23|40)/, 'conflict'],
  [/^(08|28|53|57P|3D000|55P03)/, 'unavailable'],
];
const queryCanceled = '57014';

/** @param error of the driver; an EngineError stays what it is */
export function engineError(error: unknown, asked: Asked): EngineError {
  if (error instanceof EngineError) return error;
  if (error instanceof pg.DatabaseError) return serverError(error, asked);
  if (error instanceof Error && error.message.startsWith('timeout exceeded')) {
    const words = `The database has no connection left within ${engineTimeoutMs / 1000} s: ask again when the running queries have ended.`;
    return new EngineError('unavailable', words, { cause: error });
  }
  return EngineError.from(error);
}

function serverError(error: pg.DatabaseError, { text, timeoutMs }: Asked): EngineError {
  const state = error.code ?? 'XX000';
  if (state === queryCanceled) {
    const words = `The server ended the statement after ${timeoutMs / 1000} s, the longest that one may take (SQLSTATE ${state}).`;
    return new EngineError('invalid_request', words, { cause: error });
  }
  const code = codeOfState.find(([states]) => states.test(state))?.[1] ?? 'invalid_request';
  const place = text && error.position ? ` at ${placeIn(text, Number(error.position))}` : '';
  const more = [error.detail, error.hint && `Hint: ${error.hint}`].filter(Boolean);
  const words = [`${error.message}${place} (SQLSTATE ${state}).`, ...more].join(' ');
  return new EngineError(code, words, { cause: error });
}

/** @param position characters, not UTF-16 units, from 1 */
function placeIn(text: string, position: number): string {
  const lines = [...text]
    .slice(0, position - 1)
    .join('')
    .split('\n');
  return `line ${lines.length}, column ${[...(lines.at(-1) ?? '')].length + 1}`;
}
