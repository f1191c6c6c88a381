import { ApiError } from '../../domain/errors.ts';

/**
 * Reads `Last-Event-ID` of a resumed stream: the id of the client's last log line, or 0 for a new stream
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html#the-last-event-id-header).
 * @throws ApiError `invalid_request`
 */
export function lastEventId(request: Request): number {
  const header = request.headers.get('last-event-id') ?? '';
  if (header === '') return 0;
  const id = /^\d{1,16}$/.test(header) ? Number(header) : Number.NaN;
  if (Number.isSafeInteger(id)) return id;
  throw new ApiError(
    'invalid_request',
    'Last-Event-ID must be the id of a log line: a whole number, 0 or more.',
  );
}
