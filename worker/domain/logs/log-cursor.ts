/**
 * The place where a search in stored logs continues: for each log the id of a line, as `svc_…:1790000000123456,svc_…:`. A log without an id
 * has not been read yet. A service has another log for its requests, and logs on its earlier hosts: `svc_…@run_…`. Search and follow use the
 * same text, which needs no escaping in a query.
 */

export type LogPositions = ReadonlyMap<string, number | null>;

/** Limit for the earlier hosts of services in one search. */
export const earlierHostsMax = 20;

const idMax = 16; // Digits.
const place = new RegExp(`^(([a-z]+_[a-z0-9]+(?:-access)?)(?:@[a-z]+_[a-z0-9]+)?):(\\d{0,${idMax}})$`);

/** Length for 20 services and their earlier hosts, with their logs of requests. */
export const logCursorCharsMax = 2 * (20 + earlierHostsMax) * (29 + 21 + 1 + idMax + 1);

/** The log of a service on one of its earlier hosts. */
export const earlierLogOf = (logId: string, runnerId: string): string => `${logId}@${runnerId}`;

export const logCursor = (positions: LogPositions): string =>
  [...positions].map(([logId, id]) => `${logId}:${id ?? ''}`).join(',');

/** @param logIds services, and their logs of requests @returns undefined if the text is no cursor of these logs */
export function parseLogCursor(text: string, logIds: readonly string[]): LogPositions | undefined {
  if (text.length > logCursorCharsMax) return undefined;
  const positions = new Map<string, number | null>();
  for (const part of text.split(',')) {
    const [, at = '', logId = '', id = ''] = place.exec(part) ?? [];
    if (!logIds.includes(logId) || positions.has(at)) return undefined;
    positions.set(at, id === '' ? null : Number(id));
  }
  return positions;
}
