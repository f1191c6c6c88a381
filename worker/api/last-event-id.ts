import { ApiError } from '../domain/errors.ts';

/**
 * `Last-Event-ID` of a resumed stream: id of the last log line the client has; 0 for a new one
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html#the-last-event-id-header).
 * @throws ApiError `invalid_request`
 */
export function lastEventId(request: Request): number {
  const header = request.headers.get('last-event-id') ?? '';
  if (header === '') return 0;
  const id = /^\d{1,16}$/.test(header) ? Number(header) : Number.NaN;
  if (Number.isSafeInteger(id)) return id;
  throw new ApiError('invalid_request', 'Last-Event-ID must be the id of a log line: an integer from 0.');
}
