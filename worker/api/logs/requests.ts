/** The request log of a service: what the proxy answered, from the access log that its host keeps. */
import { z } from 'zod';
import { foundLinesMax } from '../../../protocol/logs/kept-logs.ts';
import { exampleTime, note } from '../../../protocol/note.ts';
import { requestPattern } from '../../domain/logs/request-pattern.ts';
import { parameter } from '../../http/loaders/loader.ts';
import { serviceResource } from '../../http/loaders/service-loaders.ts';
import { integerParameter } from '../../http/paging.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { timestampSchema } from '../../http/timestamps.ts';
import { selectSearchedService } from '../../store/logs/log-search-store.ts';
import { scopedServiceId } from '../../store/sql/scoped-store.ts';
import { pageReply } from '../present/present-log-search.ts';
import { pageOfLogs } from './log-pages.ts';
import { logPage } from './log-query.ts';

/** Longer ones would be patterns that hosts refuse. */
const pathMax = 90;
const slowestMs = 3_600_000;
/** https://www.rfc-editor.org/rfc/rfc9110#section-9.3 and PATCH. */
const methods = /^(GET|HEAD|POST|PUT|DELETE|CONNECT|OPTIONS|TRACE|PATCH)$/i;
const { since, until, order, cursor } = logPage;

/** A line of the access log. Hosts write it, so anything may be missing. */
const lineSchema = z.object({
  method: z.string().catch(''),
  path: z.string().catch(''),
  status: z.number().catch(0),
  durationMs: z.number().catch(0),
  bytes: z.number().catch(0),
  client: z.string().catch(''),
  host: z.string().catch(''),
});

const requestSchema = z.strictObject({
  id: z.int().meta(note('Id of its line: in the order of the log.', 1_764_500_000_000_000)),
  at: timestampSchema.meta(note('When it ended.', exampleTime)),
  method: z.string().meta(note('Its method.', 'GET')),
  path: z.string().meta(note('Its path, at most 500 characters, without the query.', '/api/orders')),
  status: z.number().meta(note('Status of the answer; 0: the visitor left before it.', 200)),
  durationMs: z
    .number()
    .meta(note('From the last byte of its headers to the last byte of the answer.', 12.34)),
  bytes: z.number().meta(note('Bytes of the body of the answer.', 5_120)),
  host: z.string().meta(note('The name that was asked for.', 'shop.example.com')),
  client: z
    .string()
    .meta(note("The visitor's network: the first 24 bits of an IPv4 address, 48 of IPv6.", '203.0.113.0')),
  deploymentId: z
    .string()
    .nullable()
    .describe('The deployment that was live; null: not known.')
    .meta({ examples: [null] }),
});

const list = defineRoute({
  method: 'GET',
  path: '/api/services/:serviceId/requests',
  access: 'read',
  summary:
    'List requests to a service, by status, path and duration. Only what the traffic rule `accessLog` wrote; an answer without requests and with `nextCursor` means: nothing yet, search on.',
  resource: serviceResource,
  reads: (db, { tokenId, params }) => ({
    searched: selectSearchedService(db, scopedServiceId(db, tokenId, parameter(params, 'serviceId'))),
  }),
  query: z.strictObject({
    method: z
      .string()
      .regex(methods, 'must be a method such as GET')
      .transform((text) => text.toUpperCase())
      .describe('Only this method.')
      .optional(),
    path: z
      .string()
      .max(pathMax, `must have at most ${pathMax} characters`)
      .regex(/^\/[^\p{Cc}]*$/u, 'must be the beginning of a path, such as /api/')
      .describe('Only paths that begin with this.')
      .optional(),
    status: z
      .string()
      .regex(/^[1-5](xx|\d\d)$/, 'must be a status such as 404, or a class such as 5xx')
      .describe('Only this status, such as 404, or this class, such as 5xx.')
      .optional(),
    slowerThanMs: integerParameter(0, slowestMs)
      .describe('Only requests that took at least so many milliseconds.')
      .optional(),
    ...{ since, until, order },
    limit: integerParameter(1, foundLinesMax).default(100),
    cursor,
  }),
  reply: z.strictObject({
    requests: z.array(requestSchema).describe('The requests that were found.'),
    accessLog: z
      .strictObject({ sample: z.number().meta(note('The share of requests that is written.', 1)) })
      .nullable()
      .describe('Null: requests are not written now; the traffic rule `accessLog` switches it on.'),
    nextCursor: pageReply.shape.nextCursor,
    stopped: pageReply.shape.stopped,
    scannedBytes: pageReply.shape.scannedBytes,
    earlierHosts: pageReply.shape.earlierHosts,
  }),
  async handle({
    deps,
    resource: { service },
    read,
    query: { method, path, status, slowerThanMs, ...page },
  }) {
    const regex = requestPattern({ method, path, status, slowerThanMs });
    const query = { ...page, source: 'access' as const, ...(regex === undefined ? {} : { regex }) };
    const { logs, searched: _, ...rest } = await pageOfLogs(deps, read.searched, query);
    const sample = service.trafficRules?.accessLog?.sample;
    return {
      requests: logs
        .filter(({ stream }) => stream === 'access')
        .map(({ id, createdAt, deploymentId, line }) => ({
          ...{ id, at: createdAt, deploymentId },
          ...lineSchema.parse(jsonOf(line)),
        })),
      accessLog: sample === undefined ? null : { sample },
      ...rest,
    };
  },
});

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line) ?? {};
  } catch {
    return {};
  }
}

export const requestRoutes: AnyRoute[] = [list];
