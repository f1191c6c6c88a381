/** Searches in the logs that hosts keep of their services (protocol/kept-logs). */
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
import type { EarlierHostRow, SearchedServiceRow } from '../../store/logs/log-search-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { type HostPage, mergedPage } from './merged-page.ts';

/** A host searches for 1.5 s, and up to eight searches wait for each other there. A host that services have left keeps nobody waiting. */
const searchTimeoutMs = { own: 20_000, earlier: 5_000 };

export type LogQuery = Omit<LogSearch, 'services'>;

/** Whose lines they are: of the app and the platform, or of the proxy, about requests. */
export type LogOrigin = (typeof logOrigins)[number];

export interface FoundLines {
  lines: FoundLine[];
  /** Where the next page begins. */
  next: LogPositions;
  /** The first reason why a host stopped; `end`: all of them have searched everything. */
  stopped: (typeof searchEnds)[number];
  scannedBytes: number;
  /** For following: after the lines of this page and all that were kept before it, for each log. */
  newest: LogPositions;
  /** Hosts that services have left and that could not be searched now. */
  unsearched: readonly EarlierHostRow[];
}

export interface SearchPlaces {
  /** Only lines of the app and the platform, or only requests; absent: both. */
  of?: LogOrigin | undefined;
  /** Where it begins; logs without a position begin at the first line of the order. */
  from: LogPositions;
  /** Hosts that the services have left, which are searched too while they are connected. */
  earlier?: readonly EarlierHostRow[];
}

type Needs = Pick<Dependencies, 'hubs'>;

/**
 * One page of a search.
 * @throws ApiError `unsupported`, `conflict` if a runner is too old, `invalid_request` for a regular expression, `rate_limited`,
 *   `runner_offline`, `timeout`
 */
export async function searchLogs(
  deps: Needs,
  services: readonly SearchedServiceRow[],
  query: LogQuery,
  { of, from, earlier = [] }: SearchPlaces,
): Promise<FoundLines> {
  for (const service of services) assertKept(service);
  const asking = services.filter((service) => logsOf(service, of).length > 0);
  const own = [...Map.groupBy(asking, ({ runnerId }) => runnerId)].map(([runnerId, members]) => {
    const logs = members.flatMap((member) => logsOf(member, of)).map((logId) => ({ logId, place: logId }));
    return askHost(deps, runnerId, { query, logs, from }, searchTimeoutMs.own);
  });
  const left = [...Map.groupBy(earlier, ({ runnerId }) => runnerId)].map(async ([runnerId, rows]) => {
    const logs = rows
      .flatMap((row) => earlierLogsOf(row, services, of))
      .map((logId) => ({ logId, place: earlierLogOf(logId, runnerId) }));
    if (logs.length === 0) return { rows };
    const page = await askHost(deps, runnerId, { query, logs, from }, searchTimeoutMs.earlier).catch(
      unlessBug,
    );
    return { rows, page };
  });
  const [ownPages, leftPages] = await Promise.all([Promise.all(own), Promise.all(left)]);
  const pages = [...ownPages, ...leftPages.flatMap(({ page }) => page ?? [])];
  const merged = mergedPage(pages, query);
  // A host that is away now may be back for the next page.
  const next = new Map([...[...from].filter(([place]) => place.includes('@')), ...merged.next]);
  return { ...merged, next, unsearched: leftPages.flatMap(({ rows, page }) => (page ? [] : rows)) };
}

/** A host that could not be asked is no reason to show nothing of the others. */
function unlessBug(error: unknown): undefined {
  if (!(error instanceof ApiError)) throw error;
  return undefined;
}

interface HostSearch {
  query: LogQuery;
  logs: readonly { logId: string; place: string }[];
  from: LogPositions;
}

async function askHost(
  { hubs }: Needs,
  runnerId: string,
  { query, logs, from }: HostSearch,
  timeoutMs: number,
): Promise<HostPage> {
  const services = logs.map(({ logId, place }) => ({ serviceId: logId, from: from.get(place) ?? null }));
  const answer = await hubs.request(
    runnerId,
    { op: 'search-logs', search: { ...query, services } },
    timeoutMs,
  );
  const places = new Map(logs.map(({ logId, place }) => [logId, place]));
  return { answer: answerOf(answer), placeOf: (logId) => places.get(logId) ?? logId };
}

/** The logs of a service that are searched. An old runner knows no log of requests. */
const logsOf = (service: SearchedServiceRow, of: LogOrigin | undefined): string[] => [
  ...(of === 'access' || isStaticSite(service) ? [] : [service.id]),
  ...(of === 'app' || !service.keepsAccessLogs ? [] : [accessLogOf(service.id)]),
];

/** The same on a host that the service has left. */
function earlierLogsOf(
  { serviceId, keepsLogs, keepsAccessLogs }: EarlierHostRow,
  services: readonly SearchedServiceRow[],
  of: LogOrigin | undefined,
): string[] {
  const service = services.find(({ id }) => id === serviceId);
  if (!service || !keepsLogs) return [];
  return logsOf({ ...service, keepsAccessLogs: Boolean(keepsAccessLogs) }, of);
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

/** @throws ApiError `unsupported`, `conflict` */
function assertKept(service: SearchedServiceRow): void {
  if (isStaticSite(service) && !service.keepsAccessLogs)
    throw new ApiError(
      'unsupported',
      `The static site "${service.name}" runs no container, so it has no runtime log. Read the build log of its deployment instead.`,
    );
  if (!service.keepsLogs)
    throw new ApiError(
      'conflict',
      `The runner of the host "${service.hostName}" is too old to keep logs: update it (docs/operate/upgrades.md).`,
    );
}
