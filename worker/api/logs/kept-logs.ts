/** Searches in the service logs that hosts store: pages, and streams of new lines. */

import { z } from 'zod';
import { searchEnds } from '../../../protocol/logs/kept-logs.ts';
import { note } from '../../../protocol/note.ts';
import { earlierHostsMax, type LogPositions, logCursor } from '../../domain/logs/log-cursor.ts';
import { foundEntry, linesEvent, movedLine } from '../../domain/logs/log-events.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { parameter } from '../../http/loaders/loader.ts';
import { projectResource, serviceResource } from '../../http/loaders/service-loaders.ts';
import { type AnyRoute, type Call, defineRoute, keyOf } from '../../http/route.ts';
import {
  listHostsOfServices,
  type SearchedServiceRow,
  selectSearchedService,
  selectSearchedServicesOf,
} from '../../store/logs/log-search-store.ts';
import { scopedProjectId, scopedServiceId } from '../../store/sql/scoped-store.ts';
import { earlierHosts, type FoundLines, type LogQuery, searchLogs } from '../../usecases/logs/search-logs.ts';
import {
  logReaderOf,
  type TenantOfCaller,
  tenantOfCallerStatements,
} from '../../usecases/tenant-of-caller.ts';
import { keptLogEntrySchema, keptLogEventSchema } from '../present/present-log-event.ts';
import { askedStream, type News } from './asked-stream.ts';
import {
  chosenServices,
  filtersOf,
  type logPage,
  microsecondsOf,
  positionsOf,
  projectLogFollow,
  projectLogPage,
  serviceLogFollow,
  serviceLogPage,
} from './log-query.ts';
import { takeFollowPlace } from './open-follows.ts';

export const pageReply = z.strictObject({
  logs: z.array(keptLogEntrySchema).describe('The lines that were found, in the order that was asked for.'),
  nextCursor: z
    .string()
    .optional()
    .meta(
      note(
        'Where the search goes on, as `cursor`. Absent: everything was searched.',
        'WzE3NjQwMDAwMDAwMDAsInByal84ZDJrNWY3aDFqNGw2cTl3Il0',
      ),
    ),
  stopped: z
    .enum(searchEnds)
    .describe(
      'Why the search ended: `end` of the log, `lines` (the limit), `size` (512 KB), or what a search may do on a host: `bytes` (64 MB read), `time` (1.5 s).',
    ),
  scannedBytes: z.int().describe('Bytes of log that were read for this answer.'),
  earlierHosts: z
    .array(
      z.strictObject({
        serviceId: z.string().meta(notes.serviceId),
        runnerId: z.string().meta(notes.runnerId),
        hostName: z.string().describe('The name of the host.'),
      }),
    )
    .optional()
    .describe(
      'When everything else was searched: hosts on which services ran before they moved, in the last 30 days, and that could not be searched: they are not connected. What was printed there is not in the answers. Absent: none.',
    ),
});
type PageReply = z.infer<typeof pageReply>;

const pageSummary =
  'Filters can be combined, also `field.<name>=<value>` for fields of JSON lines. An answer without lines and with `nextCursor` means: nothing yet, search on.';

const searchService = defineRoute({
  method: 'GET',
  path: '/api/services/:serviceId/runtime-logs',
  access: 'read',
  summary: `Search in what the host has kept of a service's output, across deployments. ${pageSummary}`,
  resource: serviceResource,
  reads: (db, { tokenId, params }) => ({
    searched: selectSearchedService(db, scopedServiceId(db, tokenId, parameter(params, 'serviceId'))),
  }),
  query: serviceLogPage,
  reply: pageReply,
  handle: ({ deps, read, query }) => pageOfLogs(deps, read.searched, query),
});

const searchProject = defineRoute({
  method: 'GET',
  path: '/api/projects/:projectId/runtime-logs',
  access: 'read',
  summary: `Search in the output of several services of a project, in one order. ${pageSummary}`,
  resource: projectResource,
  reads: (db, { tokenId, params }) => ({
    searched: selectSearchedServicesOf(db, scopedProjectId(db, tokenId, parameter(params, 'projectId'))),
  }),
  query: projectLogPage,
  reply: pageReply,
  handle: ({ deps, read, query }) => pageOfLogs(deps, chosenServices(read.searched, query.services), query),
});

const followService = defineRoute({
  method: 'GET',
  path: '/api/services/:serviceId/runtime-logs/follow',
  access: 'read',
  summary:
    "Follow what the host keeps of a service's output, filtered, as Server-Sent Events: lines, ping, status. Last-Event-ID resumes without a lost or doubled line.",
  resource: serviceResource,
  reads: (db, { tokenId, params }) => ({
    ...tenantOfCallerStatements(db, tokenId),
    searched: selectSearchedService(db, scopedServiceId(db, tokenId, parameter(params, 'serviceId'))),
  }),
  query: serviceLogFollow,
  reply: 'stream',
  events: keptLogEventSchema,
  handle: (call) => followLogs(call, call.resource.service.id, call.read.searched),
});

const followProject = defineRoute({
  method: 'GET',
  path: '/api/projects/:projectId/runtime-logs/follow',
  access: 'read',
  summary:
    'Follow the output of several services of a project, filtered, as Server-Sent Events: lines, ping, status. Last-Event-ID resumes.',
  resource: projectResource,
  reads: (db, { tokenId, params }) => ({
    ...tenantOfCallerStatements(db, tokenId),
    searched: selectSearchedServicesOf(db, scopedProjectId(db, tokenId, parameter(params, 'projectId'))),
  }),
  query: projectLogFollow,
  reply: 'stream',
  events: keptLogEventSchema,
  handle: (call) =>
    followLogs(call, call.resource.project.id, chosenServices(call.read.searched, call.query.services)),
});

/** One page of a search, also on the earlier hosts of services. @throws ApiError as `searchLogs` */
export async function pageOfLogs(
  deps: Call<unknown, unknown, unknown>['deps'],
  services: readonly SearchedServiceRow[],
  query: z.infer<z.ZodObject<typeof logPage>>,
): Promise<PageReply> {
  const { since, until, order, limit, cursor } = query;
  if (services.length === 0) return { logs: [], stopped: 'end', scannedBytes: 0 };
  const from = positionsOf('The query parameter "cursor"', cursor, services);
  const asked: LogQuery = {
    ...filtersOf(query),
    ...{ order, limit },
    ...(since === undefined ? {} : { since: microsecondsOf(since) }),
    ...(until === undefined ? {} : { until: microsecondsOf(until) }),
  };
  const ids = services.map(({ id }) => id);
  const earlier = await earlierHosts(deps, ids, since === undefined ? 0 : Date.parse(since));
  const places = { from, of: query.source, earlier: earlier.slice(0, earlierHostsMax) };
  const { lines, next, stopped, scannedBytes, unsearched } = await searchLogs(deps, services, asked, places);
  const logs = lines.map(foundEntry);
  if (stopped !== 'end') return { logs, nextCursor: logCursor(next), stopped, scannedBytes };
  const left = [...unsearched, ...earlier.slice(earlierHostsMax)];
  const hosts = left.map(({ serviceId, runnerId, hostName }) => ({ serviceId, runnerId, hostName }));
  return { logs, stopped, scannedBytes, ...(hosts.length > 0 ? { earlierHosts: hosts } : {}) };
}

async function followLogs(
  call: Call<unknown, undefined, z.infer<typeof serviceLogFollow>, TenantOfCaller>,
  of: string,
  services: readonly SearchedServiceRow[],
): Promise<Response> {
  const { deps, request, query } = call;
  const filters = filtersOf(query);
  const search = (from: LogPositions) =>
    searchLogs(
      deps,
      services,
      { ...filters, order: 'oldest', limit: followedLines },
      { from, of: query.source },
    );
  const lastId = request.headers.get('last-event-id') || undefined;
  const resumed = positionsOf('Last-Event-ID', lastId, services);
  let moved: readonly SearchedServiceRow[] = [];
  const leave = takeFollowPlace(of, logReaderOf(keyOf(call.principal).countedAs, call.read));
  try {
    const first = lastId === undefined ? await pastOf() : await search(resumed);
    return askedStream<LogPositions>({
      first: { events: linesEvent(first.lines, first.next), place: first.next },
      ask: async (from) => (moved.length > 0 ? goodbyeOf(moved, from) : newsOf(await search(from))),
      ...{ signal: request.signal, ended: leave, now: deps.now },
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

  async function pastOf() {
    const limit = Math.max(1, query.lines);
    const past = await searchLogs(
      deps,
      services,
      { ...filters, order: 'newest', limit },
      { from: new Map(), of: query.source },
    );
    return { lines: query.lines === 0 ? [] : past.lines.reverse(), next: past.newest };
  }
}

const newsOf = ({ lines, next }: FoundLines): News<LogPositions> => ({
  events: lines.length > 0 ? linesEvent(lines, next) : '',
  place: next,
});

/** The end of a stream that polls the old hosts of moved services. */
function goodbyeOf(moved: readonly SearchedServiceRow[], place: LogPositions): News<LogPositions> {
  const lines = moved.map(({ id: serviceId }) => ({
    ...{ serviceId, id: (place.get(serviceId) ?? 0) + 1, deploymentId: null, level: null },
    ...{ stream: 'system' as const, line: movedLine },
  }));
  return { events: linesEvent(lines, place), place, isLast: true };
}

/** Maximum number of lines of one event. */
const followedLines = 500;

export const keptLogRoutes: AnyRoute[] = [searchService, followService, searchProject, followProject];
