/**
 * Reads from a database copy near the client. D1 has one primary and, if read replication is on, read-only copies in other regions. A
 * request without the header `X-Bookmark` is answered by the primary. A client that sends the header reads from the nearest copy that is at
 * least as new as its bookmark, so it sees its own writes; each answer then carries the bookmark for its next request.
 * Source: https://developers.cloudflare.com/d1/best-practices/read-replication/
 */
import { ApiError } from '../domain/errors.ts';
import type { Env } from '../env.ts';
import type { AnyRoute } from './route.ts';

export const bookmarkHeader = 'X-Bookmark';
/** Sent by a client without a bookmark: any copy is accepted, even a slightly old one. */
const nearest = 'nearest';
/** The form of D1's bookmarks: four hexadecimal numbers with hyphens. */
const bookmarkPattern = /^[0-9a-f]{1,32}(-[0-9a-f]{1,32}){3}$/;

/** @throws ApiError `invalid_request` for a header that is neither a bookmark nor `nearest`. */
export function assertBookmark({ headers }: Request): void {
  const given = headers.get(bookmarkHeader);
  if (given === null || given === nearest || bookmarkPattern.test(given)) return;
  throw new ApiError(
    'invalid_request',
    `The header ${bookmarkHeader} must be the value that an earlier answer had in it, or "${nearest}". Leave it out to read from the primary database.`,
  );
}

/** The bindings for a request, and the bookmark for its answer. */
export interface Bindings {
  env: Env;
  /** Adds the bookmark to the answer if the client wants one. */
  marked(response: Response): Response;
}

/**
 * @returns bindings whose database is a session of D1 if the client asked for one. All requests except GET begin at the primary, and so do streams,
 * which read as long as they are open. A malformed header changes nothing; `assertBookmark` refuses it.
 */
export function bindingsOf({ method, reply }: AnyRoute, { headers }: Request, env: Env): Bindings {
  const given = headers.get(bookmarkHeader);
  const isNear = given === nearest || bookmarkPattern.test(given ?? '');
  if (given === null || !isNear || reply === 'stream') return { env, marked: (response) => response };
  const session = env.DB.withSession(constraintOf(method, given));
  // A session prepares and runs statements like the database itself; nothing else of it is used.
  const near = { ...env, DB: session as unknown as D1Database };
  return { env: near, marked: (response) => withBookmark(response, session.getBookmark()) };
}

function constraintOf(method: string, given: string): string {
  if (method !== 'GET') return 'first-primary';
  return given === nearest ? 'first-unconstrained' : given;
}

/** A local D1 may have no bookmark: then the client keeps its previous one. */
function withBookmark(response: Response, bookmark: string | null): Response {
  if (!bookmark) return response;
  const marked = new Response(response.body, response);
  marked.headers.set(bookmarkHeader, bookmark);
  return marked;
}
