/** Converts errors of PostgreSQL and its driver to messages for the user. */
import pg from 'pg';
import type { DatabaseRefusal } from '../../../protocol/database.ts';
import { ConnectionsFull } from '../connections-full.ts';
import { engineTimeoutMs } from '../engine.ts';
import { EngineError } from '../engine-error.ts';

/** The request that failed. */
interface Asked {
  /** The statement, if the user wrote it. */
  text?: string;
  /** The server's time limit for the request. */
  timeoutMs: number;
  /** True if the request may change data and may already have been sent. */
  isSentChange?: boolean;
}

/**
 * Codes: https://www.postgresql.org/docs/17/errcodes-appendix.html. Classes 23 and 40: constraints and conflicting transactions; 08, 53,
 * 57P: no connection, or too many; 28 and 3D: wrong credentials or database. A user's own statement may raise those about another server.
 */
const codeOfState: [RegExp, DatabaseRefusal][] = [
  [/^(23|40)/, 'conflict'],
  [/^(08(?!P01)|53|57P|55P03)/, 'unavailable'],
];
const refusedLogin = /^(28|3D)/;
/** An error message may contain a whole value. */
const wordsMax = 2_000;
const queryCanceled = '57014';
const tooManyConnections = '53300';

/** @param error from the driver; an EngineError is returned unchanged */
export function engineError(error: unknown, asked: Asked): EngineError {
  if (error instanceof EngineError) return error;
  const isFullNow = asked.text === undefined ? fullOf(error) : undefined;
  if (isFullNow) return isFullNow;
  if (error instanceof pg.DatabaseError) return serverError(error, asked);
  // pg-pool sets no code on this error.
  if (error instanceof Error && error.message.startsWith('timeout exceeded')) {
    const words = `The database has no connection left within ${engineTimeoutMs / 1000} s: try again when the running queries have ended.`;
    return new EngineError('unavailable', words, { cause: error });
  }
  return asked.isSentChange ? EngineError.unanswered(error) : EngineError.from(error);
}

/** Converts an error from connecting, before any statement was sent. */
export const connectionError = (error: unknown): EngineError => fullOf(error) ?? EngineError.from(error);

/** The limits of one role or one database have the same code and other words. */
function fullOf(error: unknown): ConnectionsFull | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== tooManyConnections) return undefined;
  return isFull(error.message) ? full(error) : undefined;
}

/** @param words of the server or of a tool */
export const isFull = (words: string) =>
  /too many clients already|remaining connection slots are/.test(words);

export const full = (cause: unknown) =>
  new ConnectionsFull({ things: 'connections', setting: 'max_connections' }, { cause });

function serverError(error: pg.DatabaseError, { text, timeoutMs }: Asked): EngineError {
  const state = error.code ?? 'XX000';
  if (state === queryCanceled) {
    const words = `The server aborted the statement after ${timeoutMs / 1000} s, its time limit (SQLSTATE ${state}).`;
    return new EngineError('invalid_request', words, { cause: error });
  }
  const states: typeof codeOfState =
    text === undefined ? [...codeOfState, [refusedLogin, 'unavailable']] : codeOfState;
  const code = states.find(([pattern]) => pattern.test(state))?.[1] ?? 'invalid_request';
  const place = text && error.position ? ` at ${placeIn(text, Number(error.position))}` : '';
  const more = [error.detail, error.hint && `Hint: ${error.hint}`].filter((words) => words !== undefined);
  const words = [`${shortened(error.message)}${place} (SQLSTATE ${state}).`, ...more.map(shortened)].join(
    ' ',
  );
  return new EngineError(code, words, { cause: error });
}

/** @param position in characters, not UTF-16 units, from 1 */
function placeIn(text: string, position: number): string {
  const lines = [...text]
    .slice(0, position - 1)
    .join('')
    .split('\n');
  return `line ${lines.length}, column ${[...(lines.at(-1) ?? '')].length + 1}`;
}

const shortened = (words: string) => (words.length > wordsMax ? `${words.slice(0, wordsMax)}...` : words);
