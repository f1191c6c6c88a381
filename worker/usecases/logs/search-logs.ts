/** Searches in the logs that hosts keep of their services (protocol/kept-logs). */
import {
  accessLogOf,
  type FoundLine,
  type LogSearch,
  type LogSearchAnswer,
  type logOrigins,
  logSearchAnswerSchema,
  type searchEnds,
} from '../../../protocol/logs/kept-logs.ts';
import { safeParseUntrusted } from '../../../protocol/untrusted/safe-parse.ts';
import { ApiError } from '../../domain/errors.ts';
import type { LogPositions } from '../../domain/logs/log-cursor.ts';
import { isStaticSite } from '../../domain/services/service-kind.ts';
import type { SearchedServiceRow } from '../../store/logs/log-search-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** A host searches for 1.5 s, and up to eight searches wait for each other there. */
const searchTimeoutMs = 20_000;

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
  /** For following: after the lines of this page and all that were kept before it, for each service. */
  newest: LogPositions;
}

type Needs = Pick<Dependencies, 'hubs'>;
type HostAnswer = Extract<LogSearchAnswer, { lines: unknown }>;

/**
 * One page of a search.
 * @param of only lines of the app and the platform, or only requests; absent: both
 * @param from where it begins; logs without a position begin at the first line of the order
 * @throws ApiError `unsupported`, `conflict` if a runner is too old, `invalid_request` for a regular expression, `rate_limited`,
 *   `runner_offline`, `timeout`
 */
export async function searchLogs(
  { hubs }: Needs,
  services: readonly SearchedServiceRow[],
  query: LogQuery,
  from: LogPositions,
  of?: LogOrigin,
): Promise<FoundLines> {
  for (const service of services) assertKept(service);
  const asking = services.filter((service) => logsOf(service, of).length > 0);
  const byHost = Map.groupBy(asking, ({ runnerId }) => runnerId);
  const answers = await Promise.all(
    [...byHost].map(async ([runnerId, members]) => {
      const asked = members
        .flatMap((member) => logsOf(member, of))
        .map((id) => ({ serviceId: id, from: from.get(id) ?? null }));
      const search = { ...query, services: asked };
      return answerOf(await hubs.request(runnerId, { op: 'search-logs', search }, searchTimeoutMs));
    }),
  );
  return merged(answers, query);
}

/** The logs of a service that are searched. An old runner knows no log of requests. */
const logsOf = (service: SearchedServiceRow, of: LogOrigin | undefined): string[] => [
  ...(of === 'access' || isStaticSite(service) ? [] : [service.id]),
  ...(of === 'app' || !service.keepsAccessLogs ? [] : [accessLogOf(service.id)]),
];

function answerOf(answer: Awaited<ReturnType<Needs['hubs']['request']>>): HostAnswer {
  if (!answer.ok) throw new ApiError('unavailable', `The host could not search: ${answer.message}`);
  const parsed = safeParseUntrusted(logSearchAnswerSchema, answer.value).data;
  if (!parsed)
    throw new ApiError('unavailable', 'The answer of the host was not understood: update its runner.');
  if (!('refused' in parsed)) return parsed;
  if (parsed.refused === 'invalid')
    throw new ApiError('invalid_request', `The query parameter "regex" is wrong. ${parsed.reason}`);
  throw new ApiError('rate_limited', parsed.reason, { retryAfterSeconds: 5 });
}

/** Services of a project are on one host, unless some of them have moved: then the lines of each page are put in order here. */
function merged(answers: readonly HostAnswer[], { order, limit }: LogQuery): FoundLines {
  const sign = order === 'newest' ? -1 : 1;
  const all = answers.flatMap(({ lines }) => lines).sort((one, other) => sign * (one.id - other.id));
  const lines = all.slice(0, limit);
  const places = answers.flatMap((answer) => answer.services);
  const next = new Map(places.map(({ serviceId, from }) => [serviceId, from]));
  // What does not fit on the page comes with the next one.
  for (const { serviceId, id } of all.slice(limit).reverse()) next.set(serviceId, id - sign);
  const newest = new Map(places.map(({ serviceId, last }) => [serviceId, last]));
  for (const { serviceId, id } of all) newest.set(serviceId, Math.max(id, newest.get(serviceId) ?? 0));
  const ends = answers.map(({ stopped }) => stopped).filter((stopped) => stopped !== 'end');
  return {
    ...{ lines, next, newest },
    stopped: all.length > limit ? 'lines' : (ends[0] ?? 'end'),
    scannedBytes: answers.reduce((sum, { scannedBytes }) => sum + scannedBytes, 0),
  };
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
