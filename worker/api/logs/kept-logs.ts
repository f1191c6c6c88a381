/** Searches in the service logs that hosts store: pages, counts, the lines around a line, and streams of new lines. */
import { parameter } from '../../http/loaders/loader.ts';
import { projectResource, serviceResource } from '../../http/loaders/service-loaders.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { selectSearchedService, selectSearchedServicesOf } from '../../store/logs/log-search-store.ts';
import { scopedProjectId, scopedServiceId } from '../../store/sql/scoped-store.ts';
import { tenantOfCallerStatements } from '../../usecases/tenant-of-caller.ts';
import { keptLogEventSchema } from '../present/present-log-event.ts';
import { aroundReply, histogramReply, pageReply } from '../present/present-log-search.ts';
import { followLogs } from './follow-logs.ts';
import { histogramOf, linesAround, pageOfLogs } from './log-pages.ts';
import {
  chosenServices,
  projectLogFollow,
  projectLogHistogram,
  projectLogPage,
  serviceLogAround,
  serviceLogFollow,
  serviceLogHistogram,
  serviceLogPage,
} from './log-query.ts';

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

const histogramSummary =
  'The newest are counted first; with `nextCursor`, ask again and add the counts of both answers.';

const countService = defineRoute({
  method: 'GET',
  path: '/api/services/:serviceId/runtime-logs/histogram',
  access: 'read',
  summary: `Count the lines of a service by level over a range of time, with the filters of a search. ${histogramSummary}`,
  resource: serviceResource,
  reads: (db, { tokenId, params }) => ({
    searched: selectSearchedService(db, scopedServiceId(db, tokenId, parameter(params, 'serviceId'))),
  }),
  query: serviceLogHistogram,
  reply: histogramReply,
  handle: ({ deps, read, query }) => histogramOf(deps, read.searched, query),
});

const countProject = defineRoute({
  method: 'GET',
  path: '/api/projects/:projectId/runtime-logs/histogram',
  access: 'read',
  summary: `Count the lines of several services of a project by level over a range of time. ${histogramSummary}`,
  resource: projectResource,
  reads: (db, { tokenId, params }) => ({
    searched: selectSearchedServicesOf(db, scopedProjectId(db, tokenId, parameter(params, 'projectId'))),
  }),
  query: projectLogHistogram,
  reply: histogramReply,
  handle: ({ deps, read, query }) => histogramOf(deps, chosenServices(read.searched, query.services), query),
});

const aroundLine = defineRoute({
  method: 'GET',
  path: '/api/services/:serviceId/runtime-logs/around',
  access: 'read',
  summary: 'The lines of a service before and after one of its lines.',
  resource: serviceResource,
  reads: (db, { tokenId, params }) => ({
    searched: selectSearchedService(db, scopedServiceId(db, tokenId, parameter(params, 'serviceId'))),
  }),
  query: serviceLogAround,
  reply: aroundReply,
  handle: ({ deps, read, query }) => linesAround(deps, read.searched, query),
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

export const keptLogRoutes: AnyRoute[] = [
  searchService,
  countService,
  aroundLine,
  followService,
  searchProject,
  countProject,
  followProject,
];
