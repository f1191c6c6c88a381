import type { DatabaseRefusal } from '../../protocol/database.ts';

/** A question that an engine refuses, or can't answer. The message is the sentence for the user: never with credentials in it. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  readonly code: DatabaseRefusal;

  /**
   * @param code `invalid_request`: the engine's own words about the statement, with position and hint; `conflict`: a constraint, with its
   *   name; `not_found`: no such table or row; `unsupported`: this engine has nothing of the kind; `unavailable`: it does not answer
   */
  constructor(code: DatabaseRefusal, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
  /** What a driver threw while nothing but the connection was at stake. Drivers name the user at most, never a password. */
  static from(error: unknown): EngineError {
    if (error instanceof EngineError) return error;
    const words = error instanceof Error ? error.message : String(error);
    return new EngineError('unavailable', words, { cause: error });
  }
}
