/** What MongoDB and its driver say, as the sentence that the user gets. */
import {
  BSON,
  MongoAPIError,
  MongoClientClosedError,
  MongoNetworkError,
  MongoServerError,
  MongoTopologyClosedError,
} from 'mongodb';
import type { DatabaseRefusal } from '../../../protocol/database.ts';
import { EngineError } from '../engine-error.ts';

/** https://github.com/mongodb/mongo/blob/v7.0/src/mongo/base/error_codes.yml */
const timeExpired = 50;
const refusals = new Map<number, DatabaseRefusal>([
  [11_000, 'conflict'],
  // Of a collection's validator.
  [121, 'conflict'],
  // Authentication failed; the server shuts down.
  [18, 'unavailable'],
  [91, 'unavailable'],
  [11_600, 'unavailable'],
]);

/**
 * @param error of the driver; an EngineError stays what it is
 * @param timeoutMs the longest that the server was told to work
 */
export function engineError(error: unknown, timeoutMs?: number): EngineError {
  if (error instanceof EngineError) return error;
  if (error instanceof MongoServerError) {
    // Read with exact values, it is a number with its type.
    const number = Number(error.code);
    if (number === timeExpired && timeoutMs !== undefined) return tookTooLong(timeoutMs, error);
    const code = refusals.get(number) ?? 'invalid_request';
    return new EngineError(code, `${error.message}${numberOf(error)}`, { cause: error });
  }
  const isClosed = error instanceof MongoTopologyClosedError || error instanceof MongoClientClosedError;
  if (!isClosed && (error instanceof MongoAPIError || BSON.BSONError.isBSONError(error))) {
    return new EngineError('invalid_request', error.message, { cause: error });
  }
  return EngineError.from(error);
}

/** Runs what may change data. @throws EngineError `timeout` when it was sent and no answer came */
export async function changing<T>(ask: () => Promise<T>, timeoutMs?: number): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw wasSent(error) ? EngineError.unanswered(error) : engineError(error, timeoutMs);
  }
}

/** Not of a connection that was being made, nor of a wait for one, which ended when the driver closed them all. */
function wasSent(error: unknown): boolean {
  if (!(error instanceof MongoNetworkError) || error.name === 'MongoPoolClearedError') return false;
  return !('beforeHandshake' in error && error.beforeHandshake === true);
}

export function tookTooLong(timeoutMs: number, cause?: unknown): EngineError {
  const words = `The command was ended after ${timeoutMs / 1000} s, the longest that one may take.`;
  return new EngineError('invalid_request', words, { cause });
}

/** Runs what asks the server, with its errors in our words. @throws EngineError */
export async function inOurWords<T>(ask: () => Promise<T>, timeoutMs?: number): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw engineError(error, timeoutMs);
  }
}

function numberOf({ code, codeName }: MongoServerError): string {
  if (code === undefined) return '';
  return codeName === undefined ? ` (${code})` : ` (${code} ${codeName})`;
}
