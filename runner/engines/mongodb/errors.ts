/** Converts errors of MongoDB and its driver to messages for the user. */
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
  // Raised by a collection's validator.
  [121, 'conflict'],
  // The next three: authentication failed, or the server is shutting down.
  [18, 'unavailable'],
  [91, 'unavailable'],
  [11_600, 'unavailable'],
]);

/**
 * @param error from the driver; an EngineError is returned unchanged
 * @param timeoutMs the server's time limit
 */
export function engineError(error: unknown, timeoutMs?: number): EngineError {
  if (error instanceof EngineError) return error;
  if (error instanceof MongoServerError) {
    // The code is an object with a number and its type, if exact values are on.
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

/** Runs a request that may change data. @throws EngineError `timeout` when it was sent but not answered */
export async function changing<T>(ask: () => Promise<T>, timeoutMs?: number): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw wasSent(error) ? EngineError.unanswered(error) : engineError(error, timeoutMs);
  }
}

/** False for an error while connecting or while waiting for a connection, which ends when the driver closes them all. */
function wasSent(error: unknown): boolean {
  if (!(error instanceof MongoNetworkError) || error.name === 'MongoPoolClearedError') return false;
  return !('beforeHandshake' in error && error.beforeHandshake === true);
}

export function tookTooLong(timeoutMs: number, cause?: unknown): EngineError {
  const words = `The command was aborted after ${timeoutMs / 1000} s, its time limit.`;
  return new EngineError('invalid_request', words, { cause });
}

/** Runs a request and converts its errors to messages for the user. @throws EngineError */
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
