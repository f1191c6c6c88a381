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

/** Where an error of the parser says that it was asked to judge the statement first. */
const judging = /: In scope SELECT formatQuerySingleLine\(.*$/s;

/**
 * @param error of the driver; an EngineError stays what it is
 * @param timeoutMs the longest that the server was told to work on the statement
 */
export function engineError(error: unknown, timeoutMs: number): EngineError {
  if (error instanceof EngineError) return error;
  if (!(error instanceof ClickHouseError)) return EngineError.from(error);
  if (error.code === timeoutExceeded || error.code === queryWasCancelled)
    return tookTooLong(timeoutMs, error);
  const code = refusalOfCode[error.code] ?? 'invalid_request';
  // The rest of a refused sign-in tells where passwords are kept on the server.
  const told = code === 'unavailable' ? (error.message.split('\n')[0] ?? '') : error.message;
  const words = told.replace(judging, '');
  return new EngineError(code, `${words.trim()} (code ${error.code}, ${error.type})`, { cause: error });
}

export function tookTooLong(timeoutMs: number, cause: unknown): EngineError {
  const words = `The statement was ended after ${timeoutMs / 1000} s, the longest that one may take.`;
  return new EngineError('invalid_request', words, { cause });
}
