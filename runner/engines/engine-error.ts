import type { DatabaseRefusal } from '../../protocol/database.ts';

const silent =
  'The database does not answer: its container may be overloaded or stopped; its runtime log says more.';

/** How Node and the drivers say that a connection did not come about, broke, or brought nothing. They name private addresses with it. */
const silences =
  /\bE(CONNREFUSED|CONNRESET|CONNABORTED|TIMEDOUT|PIPE|HOSTUNREACH|HOSTDOWN|NETUNREACH)\b|timed? ?out\b|^timeout\b|connection.*(terminated|closed|lost|interrupted|ended|not queryable)|closed the connection|pool.*cleared|monitor timeout|PROTOCOL_CONNECTION_LOST|socket hang up/i;

/** A question that an engine refuses, or can't answer. The message is the sentence for the user: never with credentials in it. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly code: DatabaseRefusal;

  /**
   * @param code `invalid_request`: the engine's own words about the statement, with position and hint; `conflict`: a constraint, with its
   *   name; `not_found`: no such table or row; `unsupported`: this engine has nothing of the kind; `unavailable`: it does not answer, and
   *   nothing was done; `timeout`: it was asked, and did not answer; `not_running`: there is nothing to be asked
   */
  constructor(code: DatabaseRefusal, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
  /** What a driver threw while nothing but the connection was at stake. Drivers name the user at most, never a password. */
  static from(error: unknown): EngineError {
    if (error instanceof EngineError) return error;
    return new EngineError('unavailable', isSilence(error) ? silent : wordsOf(error), { cause: error });
  }

  /** What a driver threw after something was sent that may change data: without an answer nobody knows whether it was done. */
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
