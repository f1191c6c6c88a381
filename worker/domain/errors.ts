/**
 * Refusals that a client may see: a code from one closed list, the HTTP status it always has, a sentence a person can act on.
 * Thrown anywhere below the API, turned into the error body in one place (http/error-reply).
 */

/** Every code with its one status. Clients see this list in docs/design/interface.md#errors. */
export const errorStatus = {
  malformed_json: 400,
  invalid_request: 400, // wrong body, parameter or field; the sentence names it
  unsupported: 400, // a semantic refusal: bad for this kind of resource
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  restore_failed: 409, // nothing has changed; the sentence says why
  quota_exceeded: 409,
  no_runner: 409, // no host is enrolled that could take it
  cannot_abort: 409,
  idempotency_conflict: 409,
  provider_refused: 409, // an outside service said no; the sentence holds its own words
  payload_too_large: 413,
  rate_limited: 429,
  internal: 500,
  runner_offline: 503, // the host is not connected: nothing was done
  unavailable: 503, // the store or an outside service can't be reached: nothing was done, try again
  restore_still_running: 504,
  timeout: 504, // the host was asked, and its answer did not come: what became of it is not known
} as const;

export type ErrorCode = keyof typeof errorStatus;

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  /** Seconds for `Retry-After`; only where waiting helps. */
  readonly retryAfterSeconds: number | undefined;

  /** @param message one sentence for the user: what is wrong, where, and the way out. */
  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; retryAfterSeconds?: number } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  get status() {
    return errorStatus[this.code];
  }
}

/** What does not exist and what the key can't see: one and the same answer. @param name of the resource, such as `project`. */
export function absent(name: string): ApiError {
  return new ApiError('not_found', `This ${name} does not exist, or this key can't see it.`);
}
