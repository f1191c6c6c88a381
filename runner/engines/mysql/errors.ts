/** Converts errors of MySQL and its driver to messages for the user. */
import type { DatabaseRefusal } from '../../../protocol/database.ts';
import { ConnectionsFull } from '../connections-full.ts';
import { EngineError } from '../engine-error.ts';
import { quoted } from './names.ts';

/** Codes: https://dev.mysql.com/doc/mysql-errors/9.4/en/server-error-reference.html */
const conflicts = new Set([
  'ER_DUP_ENTRY',
  'ER_DUP_ENTRY_WITH_KEY_NAME',
  'ER_DUP_UNKNOWN_IN_INDEX',
  'ER_FOREIGN_DUPLICATE_KEY_WITH_CHILD_INFO',
  'ER_FOREIGN_DUPLICATE_KEY_WITHOUT_CHILD_INFO',
  'ER_ROW_IS_REFERENCED',
  'ER_ROW_IS_REFERENCED_2',
  'ER_NO_REFERENCED_ROW',
  'ER_NO_REFERENCED_ROW_2',
  'ER_CHECK_CONSTRAINT_VIOLATED',
  'ER_BAD_NULL_ERROR',
  'ER_NO_DEFAULT_FOR_FIELD',
  'ER_LOCK_DEADLOCK',
  'ER_LOCK_WAIT_TIMEOUT',
]);
const unavailable = new Set([
  'ER_CON_COUNT_ERROR',
  'ER_TOO_MANY_USER_CONNECTIONS',
  'ER_USER_LIMIT_REACHED',
  'ER_SERVER_SHUTDOWN',
  'ER_ACCESS_DENIED_ERROR',
  'ER_OUT_OF_RESOURCES',
]);

/** The fields that the driver adds to an error of the server. An error without them is about the connection. */
interface ServerError extends Error {
  errno: number;
  code: string;
  sqlState: string;
}

/**
 * Leaves out the cause: the driver's error contains the statement with its values.
 * @param isChange a statement that may change data was sent
 */
export function mysqlError(error: unknown, isChange = false): EngineError {
  if (error instanceof EngineError) return error;
  if (!isServerError(error)) {
    const { code, message } = isChange ? EngineError.unanswered(error) : EngineError.from(error);
    return new EngineError(code, message);
  }
  const noRoom = fullOf(error);
  if (noRoom) return noRoom;
  const words = `${error.message} (error ${error.errno}, SQLSTATE ${error.sqlState})`;
  return isUnknownDatabase(error) ? new UnknownDatabase(words) : new EngineError(codeOf(error.code), words);
}

const full = (cause: unknown) =>
  new ConnectionsFull({ things: 'connections', setting: 'max_connections' }, { cause });

/** The server has no connection left. The limit of one account has another error number. */
export const fullOf = (error: unknown): ConnectionsFull | undefined =>
  isServerError(error) && error.code === 'ER_CON_COUNT_ERROR' ? full(undefined) : undefined;

/** @param words printed by a tool */
export const fullOfWords = (words: string): ConnectionsFull | undefined =>
  /\b1040\b.*Too many connections/.test(words) ? full(new Error(words)) : undefined;

/** The server has no database with this name, but it accepted the login. */
export class UnknownDatabase extends EngineError {
  constructor(message: string) {
    super('invalid_request', message);
  }
}

export function isUnknownDatabase(error: unknown): boolean {
  return isServerError(error) && error.code === 'ER_BAD_DB_ERROR';
}

/** The server did not even answer the request to end a statement. */
export function silentServer(isChange: boolean): EngineError {
  return mysqlError(new Error('ETIMEDOUT'), isChange);
}

/** Raised for a table without its database while no database is selected. */
export function isNoDatabase(error: unknown): boolean {
  return isServerError(error) && error.code === 'ER_NO_DB_ERROR';
}

function codeOf(code: string): DatabaseRefusal {
  if (conflicts.has(code)) return 'conflict';
  return unavailable.has(code) ? 'unavailable' : 'invalid_request';
}

/** @param database the service's own; every connection selects it while it exists */
export function noDatabase(database: string | undefined): EngineError {
  const wayOut = database
    ? `the database ${database} no longer exists: create it again with CREATE DATABASE ${quoted(database)}`
    : 'name the table with its database, such as app.users';
  return new EngineError('conflict', `No database is selected: ${wayOut}.`);
}

/** Raised by a statement that exceeded `max_execution_time`. */
export function isTimeout(error: unknown): boolean {
  return isServerError(error) && error.code === 'ER_QUERY_TIMEOUT';
}

function isServerError(error: unknown): error is ServerError {
  return (
    error instanceof Error && 'sqlState' in error && typeof error.sqlState === 'string' && 'errno' in error
  );
}
