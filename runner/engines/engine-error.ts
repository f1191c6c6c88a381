import type { DatabaseRefusal } from '../../protocol/database.ts';

const silent =
  'The database does not answer: its container may be overloaded or stopped; see its runtime log.';

/** Messages of Node and the drivers for a connection that failed, broke or timed out. They contain private addresses. */
const silences =
  /\bE(CONNREFUSED|CONNRESET|CONNABORTED|TIMEDOUT|PIPE|HOSTUNREACH|HOSTDOWN|NETUNREACH)\b|timed? ?out\b|^timeout\b|connection.*(terminated|closed|lost|interrupted|ended|not queryable)|closed the connection|pool.*cleared|monitor timeout|PROTOCOL_CONNECTION_LOST|socket hang up/i;

/** A request that an engine refuses or can't answer. The message is the sentence for the user and never contains credentials. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly code: DatabaseRefusal;

  /**
   * @param code `invalid_request`: the engine's own words about the statement, with position and hint; `conflict`: a constraint was
   *   violated, with its name; `not_found`: no such table or row; `unsupported`: this engine doesn't have the feature; `unavailable`: it
   *   does not answer, and nothing was done; `timeout`: the request was sent but not answered; `not_running`: no database is running
   */
  constructor(code: DatabaseRefusal, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }

  static noTable(id: string): EngineError {
    return new EngineError(
      'not_found',
      `There is no table ${JSON.stringify(id)}: GET /api/services/:serviceId/database/tables lists all.`,
    );
  }

  /**
   * Converts a driver's error from connecting, before any statement was sent. Such errors contain the user name at most, never a password.
   */
  static from(error: unknown): EngineError {
    if (error instanceof EngineError) return error;
    return new EngineError('unavailable', isSilence(error) ? silent : wordsOf(error), { cause: error });
  }

  /** Converts a driver's error from after a possible change was sent: without an answer it is unknown whether it was done. */
  static unanswered(error: unknown): EngineError {
    if (error instanceof EngineError || !isSilence(error)) return EngineError.from(error);
    return new EngineError('timeout', 'The connection to the database was lost before its answer came.', {
      cause: error,
    });
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function isSilence(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : '';
  return silences.test(`${code} ${wordsOf(error)}`);
}
