/**
 * Where a search in kept logs goes on: for each service the id of a line, as `svc_…:1790000000123456,svc_…:`, and one for its log of requests. One without an id was not
 * begun. Search and follow use the same text; in a query it needs no escaping.
 */

export type LogPositions = ReadonlyMap<string, number | null>;

const idMax = 16; // Digits.
const place = new RegExp(`^([a-z]+_[a-z0-9]+(?:-access)?):(\\d{0,${idMax}})$`);

/** For 20 services, with their logs of requests. */
export const logCursorCharsMax = 2 * 20 * (29 + 1 + idMax + 1);

export const logCursor = (positions: LogPositions): string =>
  [...positions].map(([serviceId, id]) => `${serviceId}:${id ?? ''}`).join(',');

/** @param logIds services, and their logs of requests @returns undefined if it is no cursor of these */
export function parseLogCursor(text: string, logIds: readonly string[]): LogPositions | undefined {
  if (text.length > logCursorCharsMax) return undefined;
  const positions = new Map<string, number | null>();
  for (const part of text.split(',')) {
    const [, serviceId = '', id = ''] = place.exec(part) ?? [];
    if (!logIds.includes(serviceId) || positions.has(serviceId)) return undefined;
    positions.set(serviceId, id === '' ? null : Number(id));
  }
  return positions;
}
