/** Reads pages of stored logs, counts their lines, and finds the lines around one of them. */
import type { z } from 'zod';
import { ApiError } from '../../domain/errors.ts';
import { earlierHostsMax, logCursor } from '../../domain/logs/log-cursor.ts';
import { foundEntry } from '../../domain/logs/log-events.ts';
import type { Call } from '../../http/route.ts';
import type { SearchedServiceRow } from '../../store/logs/log-search-store.ts';
import { countLogs } from '../../usecases/logs/count-logs.ts';
import {
  earlierHosts,
  type FoundLines,
  type HostQuery,
  logsOf,
  searchLogs,
} from '../../usecases/logs/search-logs.ts';
import type { aroundReply, histogramReply, pageReply, searchedReply } from '../present/present-log-search.ts';
import {
  filtersOf,
  type logPage,
  microsecondsOf,
  positionsOf,
  type serviceLogAround,
  type serviceLogHistogram,
} from './log-query.ts';

type Deps = Call<unknown, unknown, unknown>['deps'];

export async function pageOfLogs(
  deps: Deps,
  services: readonly SearchedServiceRow[],
  query: z.infer<z.ZodObject<typeof logPage>>,
): Promise<z.infer<typeof pageReply>> {
  const { since, until, order, limit, cursor } = query;
  if (services.length === 0)
    return { logs: [], stopped: 'end', scannedBytes: 0, searched: searchedOf(services, query, noSearch) };
  const from = positionsOf('The query parameter "cursor"', cursor, services);
  const asked: HostQuery = { ...filtersOf(query, services), ...rangeOf(query), order, limit };
  const ids = services.map(({ id }) => id);
  const earlier = await earlierHosts(deps, ids, since === undefined ? 0 : Date.parse(since));
  const places = { from, of: query.source, earlier: earlier.slice(0, earlierHostsMax) };
  const found = await searchLogs(deps, services, asked, places);
  const { lines, next, stopped, scannedBytes, unsearched } = found;
  const logs = lines.map(foundEntry);
  const searched = searchedOf(services, { since, until, order }, found);
  if (stopped !== 'end') return { logs, nextCursor: logCursor(next), stopped, scannedBytes, searched };
  const left = [...unsearched, ...earlier.slice(earlierHostsMax)];
  const hosts = left.map(({ serviceId, runnerId, hostName }) => ({ serviceId, runnerId, hostName }));
  return { logs, stopped, scannedBytes, searched, ...(hosts.length > 0 ? { earlierHosts: hosts } : {}) };
}

/** The range of a histogram without a begin. */
const rangeMs = 3_600_000;

export async function histogramOf(
  deps: Deps,
  services: readonly SearchedServiceRow[],
  query: z.infer<typeof serviceLogHistogram>,
): Promise<z.infer<typeof histogramReply>> {
  const { buckets, cursor } = query;
  const end = query.until === undefined ? deps.now() : Date.parse(query.until);
  const begin = query.since === undefined ? end - rangeMs : Date.parse(query.since);
  if (end <= begin)
    throw new ApiError('invalid_request', 'The query parameter "until" must be later than "since".');
  const bucketMs = (end - begin) / buckets;
  const range = { since: new Date(begin).toISOString(), until: new Date(end).toISOString(), bucketMs };
  if (services.length === 0)
    return { ...range, buckets: [], stopped: 'end', searched: searchedOf(services, range, noSearch) };
  const from = positionsOf('The query parameter "cursor"', cursor, services);
  const asked = { ...filtersOf(query, services), ...rangeOf(range), buckets };
  const counted = await countLogs(deps, services, asked, { from, of: query.source });
  const { parts, next, stopped } = counted;
  return {
    ...range,
    buckets: parts.map(({ bucket, levels }) => ({
      at: new Date(begin + bucket * bucketMs).toISOString(),
      levels,
    })),
    ...(stopped === 'end' ? {} : { nextCursor: logCursor(next) }),
    ...{ stopped, searched: searchedOf(services, range, counted) },
  };
}

/** Reads the line again as the first of those after it, so that both directions have one edge. */
export async function linesAround(
  deps: Deps,
  services: readonly SearchedServiceRow[],
  { line, before, after, source }: z.infer<typeof serviceLogAround>,
): Promise<z.infer<typeof aroundReply>> {
  const at = line === undefined ? deps.now() * 1_000 : Number(line);
  const side = (order: 'newest' | 'oldest', id: number, limit: number) => {
    const from = new Map(services.flatMap((service) => logsOf(service, source)).map((log) => [log, id]));
    return searchLogs(deps, services, { order, limit }, { from, of: source });
  };
  const [older, newer] = await Promise.all([
    side('newest', at, Math.max(1, before)),
    side('oldest', Math.max(0, at - 1), after + 1),
  ]);
  return {
    logs: [...older.lines.slice(0, before).reverse(), ...newer.lines].map(foundEntry),
    hasBefore: older.lines.length > before || older.stopped !== 'end',
    hasAfter: newer.stopped !== 'end',
  };
}

const rangeOf = ({ since, until }: { since?: string | undefined; until?: string | undefined }) => ({
  ...(since === undefined ? {} : { since: microsecondsOf(since) }),
  ...(until === undefined ? {} : { until: microsecondsOf(until) }),
});

const noSearch = { hosts: [], next: new Map(), stopped: 'end', scannedLines: 0 } as const;

function searchedOf(
  services: readonly SearchedServiceRow[],
  {
    since,
    until,
    order = 'newest',
  }: Partial<Pick<z.infer<z.ZodObject<typeof logPage>>, 'since' | 'until' | 'order'>>,
  { hosts, next, stopped, scannedLines }: Pick<FoundLines, 'hosts' | 'next' | 'stopped' | 'scannedLines'>,
): z.infer<typeof searchedReply> {
  return {
    serviceIds: services.map(({ id }) => id),
    hosts: hosts.map(({ runnerId, hostName, reason }) => ({
      ...{ runnerId, hostName },
      ...(reason === undefined ? {} : { reason }),
    })),
    since: since === undefined ? null : new Date(since).toISOString(),
    until: until === undefined ? null : new Date(until).toISOString(),
    reached: stopped === 'end' ? null : reachedAt([...next.values()], order),
    lines: scannedLines,
  };
}

/** The time that all logs have reached; null if one has not begun. */
function reachedAt(places: readonly (number | null)[], order: 'newest' | 'oldest'): string | null {
  const ids = places.filter((id) => id !== null);
  if (ids.length === 0) return null;
  return new Date((order === 'newest' ? Math.max(...ids) : Math.min(...ids)) / 1000).toISOString();
}
