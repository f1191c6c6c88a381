/** Follows a search in stored logs. Each poll asks hosts for the newest lines after a place, so that a reader is never minutes behind. */
import type { z } from 'zod';
import { foundLinesMax } from '../../../protocol/logs/kept-logs.ts';
import type { LogPositions } from '../../domain/logs/log-cursor.ts';
import { linesEvent, movedLine, stateEvent } from '../../domain/logs/log-events.ts';
import { type Call, keyOf } from '../../http/route.ts';
import { listHostsOfServices, type SearchedServiceRow } from '../../store/logs/log-search-store.ts';
import { type FoundLines, type HostQuery, logsOf, searchLogs } from '../../usecases/logs/search-logs.ts';
import { logReaderOf, type TenantOfCaller } from '../../usecases/tenant-of-caller.ts';
import { askedStream, askedStreamTiming, type News } from './asked-stream.ts';
import { filtersOf, positionsOf, type serviceLogFollow } from './log-query.ts';
import { takeFollowPlace } from './open-follows.ts';

/** The pause after a poll is ten times the host's work for it: a stream takes at most a tenth of the time of the host's searches. */
const timing = { ...askedStreamTiming, restFactor: 10 };
/** One poll may search for this long, so that readers of other logs on the host wait little. */
const pollMs = 300;

/** @param of the service, or the project of the services */
export async function followLogs(
  call: Call<unknown, undefined, z.infer<typeof serviceLogFollow>, TenantOfCaller>,
  of: string,
  services: readonly SearchedServiceRow[],
): Promise<Response> {
  const { deps, request, query } = call;
  const filters = filtersOf(query, services);
  const search = (asked: Omit<HostQuery, 'limit'>, from: LogPositions, after?: LogPositions) =>
    searchLogs(
      deps,
      services,
      { ...filters, limit: foundLinesMax, ...asked },
      { from, of: query.source, ...(after && { after }) },
    );
  const lastId = request.headers.get('last-event-id') || undefined;
  const resumed = positionsOf('Last-Event-ID', lastId, services);
  let moved: readonly SearchedServiceRow[] = [];
  const leave = takeFollowPlace(of, logReaderOf(keyOf(call.principal).countedAs, call.read));
  const states = new States();
  try {
    const first = lastId === undefined ? await pastOf() : await newsAfter(resumed);
    return askedStream<LogPositions>({
      first: { ...first, events: first.events || linesEvent([], first.place) },
      ask: (place) => (moved.length > 0 ? goodbyeOf(moved, place) : newsAfter(place)),
      ...{ signal: request.signal, ended: leave, now: deps.now, timing },
      async stillOpen() {
        if (!(await call.stillAllowed())) return false;
        const now = new Map(
          (await listHostsOfServices(deps.db, of)).map(({ id, runnerId }) => [id, runnerId]),
        );
        // A deleted service does not end a stream of other services.
        moved = services.filter(({ id, runnerId }) => (now.get(id) ?? runnerId) !== runnerId);
        return true;
      },
    });
  } catch (error) {
    leave();
    throw error;
  }

  async function pastOf(): Promise<News<LogPositions>> {
    const begin = deps.now() * 1_000;
    const { lines, ...past } = await searchLogs(
      deps,
      services,
      { ...filters, order: 'newest', limit: Math.max(1, query.lines) },
      { from: new Map(), of: query.source },
    );
    // A host that is away is followed from now on.
    const all = services.flatMap((service) => logsOf(service, query.source));
    const place = new Map(all.map((log) => [log, past.newest.get(log) ?? begin]));
    const shown = query.lines === 0 ? [] : lines.reverse();
    return { events: states.of(past.hosts, 0) + linesEvent(shown, place), place };
  }

  async function newsAfter(place: LogPositions): Promise<News<LogPositions>> {
    const newest = await search({ order: 'newest', countRest: true, budgetMs: pollMs }, new Map(), place);
    const isUnfinished = newest.stopped === 'bytes' || newest.stopped === 'time';
    if (!isUnfinished || newest.rest.lines > 0) {
      const next = new Map([...place, ...newest.newest]);
      const state = states.of(newest.hosts, 0, newest.rest);
      return newsOf(state, newest.lines.reverse(), next, newest.tookMs);
    }
    // Few lines match in much that is new: nothing is left out, and the stream says how far behind it is.
    const oldest = await search({ order: 'oldest', budgetMs: pollMs }, place);
    const reached = Math.min(...[...oldest.next.values()].map((id) => id ?? 0));
    const behindMs = oldest.stopped === 'end' ? 0 : Math.max(0, deps.now() - Math.round(reached / 1_000));
    const workMs = newest.tookMs + oldest.tookMs;
    return newsOf(states.of(oldest.hosts, behindMs), oldest.lines, oldest.next, workMs);
  }
}

const newsOf = (
  state: string,
  lines: FoundLines['lines'],
  place: LogPositions,
  workMs: number,
): News<LogPositions> => ({
  events: state + (lines.length > 0 || state !== '' ? linesEvent(lines, place) : ''),
  ...{ place, workMs },
});

const nothingSkipped: FoundLines['rest'] = { lines: 0, isComplete: true };

/** Writes a `state` only when the reader must know it: for each gap, and for each change of the rest. */
class States {
  #last = '[0,[]]';

  of(hosts: FoundLines['hosts'], behindMs: number, skipped = nothingSkipped): string {
    const hostsAway = hosts.flatMap(({ runnerId, hostName, reason }) =>
      reason === undefined ? [] : [{ runnerId, hostName, reason }],
    );
    const shown = JSON.stringify([behindMs, hostsAway]);
    const { lines: skippedLines, isComplete: isExact } = skipped;
    if (skippedLines === 0 && isExact && shown === this.#last) return '';
    this.#last = shown;
    return stateEvent({ skippedLines, isExact, behindMs, hostsAway });
  }
}

/** The end of a stream that polls the old hosts of moved services. */
async function goodbyeOf(
  moved: readonly SearchedServiceRow[],
  place: LogPositions,
): Promise<News<LogPositions>> {
  const lines = moved.map(({ id: serviceId }) => ({
    ...{ serviceId, id: (place.get(serviceId) ?? 0) + 1, deploymentId: null, level: null },
    ...{ stream: 'system' as const, line: movedLine },
  }));
  return { events: linesEvent(lines, place), place, isLast: true };
}
