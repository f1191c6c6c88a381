/**
 * Errors that a client may see: a code from one closed list, a fixed HTTP status per code, and a sentence that a person can act on.
 * They are thrown anywhere below the API and turned into the error body in one place (http/error-reply).
 */

/** Every error code and its HTTP status. */
export const errorStatus = {
  malformed_json: 400,
  invalid_request: 400, // invalid body, parameter or field; the message mentions it
  unsupported: 400, // valid, but not possible for this kind of resource
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408, // the body did not arrive in time; nothing was done
  conflict: 409,
  restore_failed: 409, // the data is unchanged; the message contains the reason
  quota_exceeded: 409,
  protected: 409, // the service is protected against deletion
  points_elsewhere: 409, // a DNS record points to somebody else's machine; the message contains its address
  no_runner: 409, // no enrolled host accepts the service
  not_isolated: 409, // tenants can't share the host; the message lists what it lacks
  cannot_abort: 409,
  idempotency_conflict: 409,
  provider_refused: 409, // an outside service refused; the message quotes it
  payload_too_large: 413,
  rate_limited: 429,
  internal: 500,
  runner_offline: 503, // the host is not connected; nothing was done
  unavailable: 503, // D1 or an outside service can't be reached; nothing was done, retry
  restore_still_running: 504,
  timeout: 504, // the host did not answer in time; the outcome is unknown
} as const;

export type ErrorCode = keyof typeof errorStatus;

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  /** Seconds for `Retry-After`; set only if waiting helps. */
  readonly retryAfterSeconds: number | undefined;
  /** The tenant's quota that caused the refusal; undefined for another reason. */
  readonly quota: string | undefined;

  /** @param message one sentence for the user: what is wrong, in which field, and what to do. */
  constructor(
    code: ErrorCode,
    message: string,
    options: { cause?: unknown; retryAfterSeconds?: number; quota?: string } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.quota = options.quota;
  }

  get status() {
    return errorStatus[this.code];
  }
}

/** The same error for a resource that does not exist and one that the key can't access. @param name such as `project` */
export function absent(name: string): ApiError {
  const words = name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return new ApiError('not_found', `This ${words} does not exist, or this key has no access to it.`);
}
