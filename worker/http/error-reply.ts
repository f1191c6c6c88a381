/** Turns what was thrown into the error body: the one place where errors become HTTP. */
import { ApiError } from '../domain/errors.ts';
import { isStoreFailure, violates } from '../store/store-failure.ts';

export interface ErrorBody {
  error: string;
  code: string;
  requestId: string;
}

/** Refusals are answered as they are; anything else is logged under the request's id and answered without detail. */
export function errorReply(thrown: unknown, requestId: string): Response {
  const error = apiErrorOf(thrown);
  if (error.status >= 500) {
    console.error(JSON.stringify({ requestId, code: error.code, cause: describe(thrown) }));
  }
  const body: ErrorBody = { error: error.message, code: error.code, requestId };
  const headers = new Headers();
  if (error.status === 401) headers.set('WWW-Authenticate', 'Bearer');
  if (error.retryAfterSeconds !== undefined) headers.set('Retry-After', String(error.retryAfterSeconds));
  return Response.json(body, { status: error.status, headers });
}

const storeRetryAfterSeconds = 2;

/** What the client is told of it. */
export function apiErrorOf(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (isStoreFailure(thrown)) {
    return new ApiError('unavailable', 'The store does not answer at the moment: try again shortly.', {
      cause: thrown,
      retryAfterSeconds: storeRetryAfterSeconds,
    });
  }
  if (violates(thrown, 'FOREIGN KEY')) {
    return new ApiError('not_found', 'What this request belongs to was deleted meanwhile.', {
      cause: thrown,
    });
  }
  return new ApiError(
    'internal',
    'Something went wrong here: try again, and report the request id if it stays.',
    {
      cause: thrown,
    },
  );
}

/** Stack and causes. Parameters of statements are left out: drizzle puts them into the message after the statement. */
function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const own = (thrown.stack ?? thrown.message).replace(/\nparams: [\s\S]*?(?=\n {4}at |$)/, '');
  return thrown.cause === undefined ? own : `${own}\ncaused by ${describe(thrown.cause)}`;
}
