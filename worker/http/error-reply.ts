/** Turns anything thrown into an error response. This is the only place where errors become HTTP responses. */
import { z } from 'zod';
import { note } from '../../protocol/note.ts';
import { ApiError } from '../domain/errors.ts';
import { notes } from '../domain/values/field-notes.ts';
import { isStoreFailure, violates } from '../store/sql/store-failure.ts';

export const errorBodySchema = z.strictObject({
  error: z.string().meta(notes.error),
  code: z.string().meta(note('The kind of error, for programs.', 'invalid_request')),
  requestId: z.string().meta(notes.requestId),
});

/** Refusals are answered with their own message. Everything else is logged with the request id and answered without details. */
export function errorReply(thrown: unknown, requestId: string): Response {
  const error = apiErrorOf(thrown);
  if (error.status >= 500) {
    console.error(JSON.stringify({ requestId, code: error.code, cause: describe(thrown) }));
  }
  const body: z.infer<typeof errorBodySchema> = { error: error.message, code: error.code, requestId };
  const headers = new Headers();
  if (error.status === 401) headers.set('WWW-Authenticate', 'Bearer');
  if (error.retryAfterSeconds !== undefined) headers.set('Retry-After', String(error.retryAfterSeconds));
  return Response.json(body, { status: error.status, headers });
}

const storeRetryAfterSeconds = 2;

export function apiErrorOf(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (isStoreFailure(thrown)) {
    return new ApiError(
      'unavailable',
      'The database of the control plane is not answering: try again shortly.',
      {
        cause: thrown,
        retryAfterSeconds: storeRetryAfterSeconds,
      },
    );
  }
  if (violates(thrown, 'FOREIGN KEY')) {
    return new ApiError('not_found', 'The project or service of this request was deleted in the meantime.', {
      cause: thrown,
    });
  }
  return new ApiError(
    'internal',
    'An internal error occurred. Try again; if it persists, report the request id.',
    {
      cause: thrown,
    },
  );
}

/** Stack and causes, without statement parameters, which drizzle appends to its message after the statement. */
function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const own = (thrown.stack ?? thrown.message).replace(/\nparams: [\s\S]*?(?=\n {4}at |$)/, '');
  return thrown.cause === undefined ? own : `${own}\ncaused by ${describe(thrown.cause)}`;
}
