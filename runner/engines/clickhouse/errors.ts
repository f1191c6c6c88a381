/** Converts errors of ClickHouse and its driver to messages for the user. */
import { ClickHouseError } from '@clickhouse/client';
import type { DatabaseRefusal } from '../../../protocol/database.ts';
import { ConnectionsFull } from '../connections-full.ts';
import { EngineError } from '../engine-error.ts';

/** Codes: https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp */
const timeoutExceeded = '159';
const queryWasCancelled = '394';
const refusalOfCode: Record<string, DatabaseRefusal> = {
  // NOT_IMPLEMENTED
  48: 'unsupported',
  // UNKNOWN_USER, WRONG_PASSWORD, REQUIRED_PASSWORD, IP_ADDRESS_NOT_ALLOWED, AUTHENTICATION_FAILED
  192: 'unavailable',
  193: 'unavailable',
  194: 'unavailable',
  195: 'unavailable',
  516: 'unavailable',
  // TOO_MANY_SIMULTANEOUS_QUERIES
  202: 'unavailable',
  // ABORTED: the server is shutting down
  236: 'unavailable',
  // VIOLATED_CONSTRAINT
  469: 'conflict',
};

/** Node's error codes: there was no connection to send the request over. */
const unsentCodes = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND']);

/** The part of a parser error about our own call of the parser, which checks the statement first. */
const parserCall = /: In scope SELECT formatQuerySingleLine\(.*$/s;

/** The facts about a statement that its error messages need. */
interface Asked {
  /** The server's time limit for the statement. */
  timeoutMs: number;
  writes: boolean;
}

/**
 * The message about one user's limit has other words.
 * @param words of the server
 */
export function fullOf(words: string): ConnectionsFull | undefined {
  const max = /Too many simultaneous queries\. Maximum: (\d+)/.exec(words)?.[1];
  if (max === undefined) return undefined;
  const usage = { max: Number(max), users: [] };
  const limited = { things: 'places for queries', setting: 'max_concurrent_queries', usage };
  return new ConnectionsFull(limited, { cause: new Error(words) });
}

/** @param error from the driver; an EngineError is returned unchanged */
export function engineError(error: unknown, asked: Asked): EngineError {
  if (error instanceof EngineError) return error;
  if (!(error instanceof ClickHouseError)) return connectionError(error, asked);
  if (error.code === timeoutExceeded || error.code === queryWasCancelled) return tookTooLong(asked, error);
  const full = fullOf(error.message);
  if (full) return full;
  const code = refusalOfCode[error.code] ?? 'invalid_request';
  // The rest of the error for a refused login reveals where the server stores passwords.
  const text = code === 'unavailable' ? (error.message.split('\n')[0] ?? '') : error.message;
  const words = text.replace(parserCall, '');
  return new EngineError(code, `${words.trim()} (code ${error.code}, ${error.type})`, { cause: error });
}

/** The server has aborted the statement. Some of its changes may remain, so the outcome is unknown, as the control plane reports. */
export function tookTooLong({ timeoutMs, writes }: Asked, cause: unknown): EngineError {
  const words = `The statement was aborted after ${timeoutMs / 1000} s, its time limit.`;
  return new EngineError(writes ? 'timeout' : 'invalid_request', words, { cause });
}

/** The server did not even answer the request to end the statement. @param asked `waitedMs`: from the start of the query until now */
export function noAnswer(
  { waitedMs, writes }: { waitedMs: number; writes: boolean },
  cause: unknown,
): EngineError {
  const words = `The database did not answer within ${Math.round(waitedMs / 1000)} s.`;
  if (writes) return new EngineError('timeout', words, { cause });
  return new EngineError('unavailable', `${words} Ask again.`, { cause });
}

/** If connecting failed, nothing was sent; if the connection broke, the whole statement may have been sent. */
function connectionError(error: unknown, { writes }: Asked): EngineError {
  const isUnsent = error instanceof Error && 'code' in error && unsentCodes.has(String(error.code));
  return writes && !isUnsent ? EngineError.unanswered(error) : EngineError.from(error);
}
