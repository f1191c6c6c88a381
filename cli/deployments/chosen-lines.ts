/** Selects the stored lines of a log that are shown. */
import { InvalidLogQuery, parseLogQuery } from '../../protocol/logs/query/parse-log-query.ts';
import { type QueriedLine, queryMatcher } from '../../protocol/logs/query/query-matcher.ts';
import { secondsOf } from '../base/duration.ts';
import { usageFailure } from '../base/failure.ts';
import { printable } from '../base/output.ts';

/** `10m` before now, or a time. @throws Error that the framework reports as a usage error */
export function timeOf(input: string, now = Date.now()): Date {
  if (/^\d{1,9}[smhd]$/.test(input)) return new Date(now - secondsOf(input) * 1000);
  const time = /^\d{4}-\d{2}-\d{2}/.test(input) ? new Date(input) : new Date(Number.NaN);
  if (Number.isNaN(time.getTime()))
    throw new Error(`"${input}" is not a time. Examples: 10m, 2h or 2026-11-24T10:00Z`);
  return time;
}

export interface Choice {
  since?: Date | undefined;
  until?: Date | undefined;
  lines?: number | undefined;
  search?: string | undefined;
}

/** The query language of log searches, for lines that no host searches. @throws Failure for a wrong search */
export function searchMatcher(search: string | undefined): (line: QueriedLine) => boolean {
  try {
    const query = search === undefined ? undefined : parseLogQuery(search);
    return query ? queryMatcher(query) : () => true;
  } catch (error) {
    if (!(error instanceof InvalidLogQuery)) throw error;
    throw usageFailure(`--search is wrong at character ${error.position}. ${error.message}`);
  }
}

/**
 * The last `lines` of the lines from `since` on and before `until` that match `search`.
 * @throws Failure for a wrong search
 */
export function chosenLines<Entry extends { createdAt: string; line: string; stream: string }>(
  entries: readonly Entry[],
  { since, until, lines, search }: Choice,
): Entry[] {
  const matches = searchMatcher(search);
  const chosen = entries.filter(
    ({ createdAt, line, stream }) =>
      (since === undefined || new Date(createdAt) >= since) &&
      (until === undefined || new Date(createdAt) < until) &&
      matches({ line: printable(line, false), stream }),
  );
  return lines === undefined ? chosen : chosen.slice(Math.max(0, chosen.length - lines));
}
