/** What ClickHouse and its driver say, as the sentence that the user gets. */
import { ClickHouseError } from '@clickhouse/client';
import type { DatabaseRefusal } from '../../../protocol/database.ts';
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

/** Of Node: there was no connection to send it over. */
const unsentCodes = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND']);

/** Where an error of the parser says that it was asked to judge the statement first. */
const judging = /: In scope SELECT formatQuerySingleLine\(.*$/s;

/** What of a statement matters when it fails. */
interface Asked {
  /** The longest that the server was told to work on it. */
  timeoutMs: number;
  writes: boolean;
}

/** @param error of the driver; an EngineError stays what it is */
export function engineError(error: unknown, asked: Asked): EngineError {
  if (error instanceof EngineError) return error;
  if (!(error instanceof ClickHouseError)) return connectionError(error, asked);
  if (error.code === timeoutExceeded || error.code === queryWasCancelled) return tookTooLong(asked, error);
  const code = refusalOfCode[error.code] ?? 'invalid_request';
  // The rest of a refused sign-in tells where passwords are kept on the server.
  const told = code === 'unavailable' ? (error.message.split('\n')[0] ?? '') : error.message;
  const words = told.replace(judging, '');
  return new EngineError(code, `${words.trim()} (code ${error.code}, ${error.type})`, { cause: error });
}

/** The server has ended it. Part of what it wrote may stay: of a change the outcome is not known, which the control plane says. */
export function tookTooLong({ timeoutMs, writes }: Asked, cause: unknown): EngineError {
  const words = `The statement was ended after ${timeoutMs / 1000} s, the longest that one may take.`;
  return new EngineError(writes ? 'timeout' : 'invalid_request', words, { cause });
}

/** The server says nothing, not even to being told to end it. @param asked `waitedMs`: from the question until now */
export function noAnswer(
  { waitedMs, writes }: { waitedMs: number; writes: boolean },
  cause: unknown,
): EngineError {
  const words = `The database did not answer within ${Math.round(waitedMs / 1000)} s.`;
  if (writes) return new EngineError('timeout', words, { cause });
  return new EngineError('unavailable', `${words} Ask again.`, { cause });
}

/** A connection that could not be made has carried nothing; one that broke may have carried the whole statement. */
function connectionError(error: unknown, { writes }: Asked): EngineError {
  const isUnsent = error instanceof Error && 'code' in error && unsentCodes.has(String(error.code));
  return writes && !isUnsent ? EngineError.unanswered(error) : EngineError.from(error);
}
