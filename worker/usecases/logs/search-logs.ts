/** Searches in the logs that hosts store for their services (protocol/kept-logs). */
import {
  accessLogOf,
  type FoundLine,
  type LogSearch,
  type logOrigins,
  logSearchAnswerSchema,
  type searchEnds,
} from '../../../protocol/logs/kept-logs.ts';
import { safeParseUntrusted } from '../../../protocol/untrusted/safe-parse.ts';
import { ApiError } from '../../domain/errors.ts';
import { earlierLogOf, type LogPositions } from '../../domain/logs/log-cursor.ts';
import { isStaticSite } from '../../domain/services/service-kind.ts';
import {
  type EarlierHostRow,
  listEarlierHosts,
  type SearchedServiceRow,
} from '../../store/logs/log-search-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { type HostPage, mergedPage } from './merged-page.ts';

/** A host searches for 1.5 s, and up to eight searches wait for each other there. Earlier hosts have less time, so that nobody waits for them. */
const searchTimeoutMs = { own: 20_000, earlier: 5_000 };

export type HostQuery = Omit<LogSearch, 'services'>;

/** The source of lines: app and platform, or the proxy, for requests. */
export type LogOrigin = (typeof logOrigins)[number];

/** A host that was asked. `reason`: the sentence why it did not answer; absent: it did. */
export interface AskedHost {
  runnerId: string;
  hostName: string;
  reason?: string;
}

export interface FoundLines {
  lines: FoundLine[];
  /** The place where the next page begins. */
  next: LogPositions;
  /** The first reason why a host stopped; `end` if all of them have searched everything. */
  stopped: (typeof searchEnds)[number];
  scannedBytes: number;
  scannedLines: number;
  /** For following: the place after the lines of this page and all earlier stored lines, for each log. */
  newest: LogPositions;
  /** For `countRest`. */
  rest: { lines: number; isComplete: boolean };
  /** The longest time that a host has searched. */
  tookMs: number;
  /** The hosts of the services. At least one has answered. */
  hosts: readonly AskedHost[];
  /** Earlier hosts of services that could not be searched now. */
  unsearched: readonly EarlierHostRow[];
}

export interface SearchPlaces {
  /** Only lines of the app and the platform, or only requests; if absent, both. */
  of?: LogOrigin | undefined;
  /** Where the search begins; logs without a position begin at the first line of the order. */
  from: LogPositions;
  /** Only lines after these places. */
  after?: LogPositions;
  /** Earlier hosts of the services, which are also searched while they are connected. */
  earlier?: readonly EarlierHostRow[];
}

type Needs = Pick<Dependencies, 'hubs'>;

/**
 * One page of a search. A host that can't be asked is named in `hosts`, and the lines of the others are shown.
 * @throws ApiError `invalid_request` for a regular expression; `rate_limited`, `runner_offline` or `timeout` if no host answers
 */
export async function searchLogs(
  deps: Needs,
  services: readonly SearchedServiceRow[],
  query: HostQuery,
  places: SearchPlaces,
): Promise<FoundLines> {
  const { pages, hosts, unsearched } = await askHosts(deps, services, query, places);
  const merged = mergedPage(pages, query);
  // A disconnected host may be connected for the next page.
  const unasked = [...places.from].filter(([place]) => !merged.next.has(place));
  const next = new Map([...unasked, ...merged.next]);
  return { ...merged, next, hosts, unsearched };
}

/**
 * The answers of all hosts that answer.
 * @throws ApiError if none of the services' own hosts does, or if the search itself is wrong
 */
export async function askHosts(
  deps: Needs,
  services: readonly SearchedServiceRow[],
  query: HostQuery,
  { of, from, after, earlier = [] }: SearchPlaces,
): Promise<{ pages: HostPage[]; hosts: AskedHost[]; unsearched: EarlierHostRow[] }> {
  const asking = services.filter((service) => logsOf(service, of).length > 0);
  const own = [...Map.groupBy(asking, ({ runnerId }) => runnerId)].map(async ([runnerId, members]) => {
    const host = { runnerId, hostName: members[0]?.hostName ?? '' };
    const logs = members.flatMap((member) => logsOf(member, of)).map((logId) => ({ logId, place: logId }));
    try {
      return { host, page: await askHost(deps, runnerId, { query, logs, from, after }, searchTimeoutMs.own) };
    } catch (error) {
      return { host: { ...host, reason: reasonOf(error) }, error };
    }
  });
  const left = [...Map.groupBy(earlier, ({ runnerId }) => runnerId)].map(async ([runnerId, rows]) => {
    const logs = rows
      .flatMap((row) => earlierLogsOf(row, services, of))
      .map((logId) => ({ logId, place: earlierLogOf(logId, runnerId) }));
    if (logs.length === 0) return { rows };
    const asked = askHost(deps, runnerId, { query, logs, from, after }, searchTimeoutMs.earlier);
    return { rows, page: await asked.catch((error) => void reasonOf(error)) };
  });
  const [ownAnswers, leftPages] = await Promise.all([Promise.all(own), Promise.all(left)]);
  const ownPages = ownAnswers.flatMap(({ page }) => page ?? []);
  const failed = ownAnswers.find(({ error }) => error !== undefined);
  if (failed && ownPages.length === 0) throw failed.error;
  return {
    pages: [...ownPages, ...leftPages.flatMap(({ page }) => page ?? [])],
    hosts: ownAnswers.map(({ host }) => host),
    unsearched: leftPages.flatMap(({ rows, page }) => (page ? [] : rows)),
  };
}

/** @throws unknown what is no reason of a host, and what every host would say */
function reasonOf(error: unknown): string {
  if (error instanceof ApiError && error.code !== 'invalid_request') return error.message;
  throw error;
}

interface HostSearch {
  query: HostQuery;
  logs: readonly { logId: string; place: string }[];
  from: LogPositions;
  after?: LogPositions | undefined;
}

async function askHost(
  { hubs }: Needs,
  runnerId: string,
  { query, logs, from, after }: HostSearch,
  timeoutMs: number,
): Promise<HostPage> {
  const services = logs.map(({ logId, place }) => {
    const low = after?.get(place);
    return {
      ...{ serviceId: logId, from: from.get(place) ?? null },
      ...(low === undefined || low === null ? {} : { after: low }),
    };
  });
  const answer = answerOf(
    await hubs.request(runnerId, { op: 'search-logs', search: { ...query, services } }, timeoutMs),
  );
  const isNew = query.query !== undefined || query.buckets !== undefined || query.countRest === true;
  if (isNew && answer.scannedLines === undefined)
    throw new ApiError(
      'unavailable',
      'The runner of the host is too old for this search: update its runner.',
    );
  const places = new Map(logs.map(({ logId, place }) => [logId, place]));
  return { answer, placeOf: (logId) => places.get(logId) ?? logId };
}

/** The logs of a service to search. */
export const logsOf = (service: SearchedServiceRow, of: LogOrigin | undefined): string[] => [
  ...(of === 'access' || isStaticSite(service) ? [] : [service.id]),
  ...(of === 'app' ? [] : [accessLogOf(service.id)]),
];

/** The logs of a service on one of its earlier hosts. */
function earlierLogsOf(
  { serviceId }: EarlierHostRow,
  services: readonly SearchedServiceRow[],
  of: LogOrigin | undefined,
): string[] {
  const service = services.find(({ id }) => id === serviceId);
  return service ? logsOf(service, of) : [];
}

function answerOf(answer: Awaited<ReturnType<Needs['hubs']['request']>>): HostPage['answer'] {
  if (!answer.ok) throw new ApiError('unavailable', `The host could not search: ${answer.message}`);
  const parsed = safeParseUntrusted(logSearchAnswerSchema, answer.value).data;
  if (!parsed)
    throw new ApiError('unavailable', 'The answer of the host was not understood: update its runner.');
  if (!('refused' in parsed)) return parsed;
  if (parsed.refused === 'invalid')
    throw new ApiError('invalid_request', `The query parameter "regex" is wrong. ${parsed.reason}`);
  throw new ApiError('rate_limited', parsed.reason, { retryAfterSeconds: 5 });
}

/** How long hosts store lines, unless their operator has changed it. */
const keptMs = 30 * 24 * 3_600_000;

/**
 * The hosts with older lines of services that have moved.
 * @param since epoch milliseconds: earlier lines are not needed; if absent, all are
 */
export async function earlierHosts(
  { db, now }: Pick<Dependencies, 'db' | 'now'>,
  serviceIds: readonly string[],
  since = 0,
): Promise<EarlierHostRow[]> {
  const left = await listEarlierHosts(db, serviceIds);
  return left.filter(({ leftAt }) => leftAt > Math.max(since, now() - keptMs));
}
