/** Commands that run once, in a new container of the live image or in the live one: start, list, read, abort, and their logs. */

import { z } from 'zod';
import {
  commandContainerSchema,
  commandSchema,
  runTimeDefaultSeconds,
  timeLimitSchema,
} from '../../domain/jobs/run-state.ts';
import { isLogOld } from '../../domain/logs/log-retention.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { parameter } from '../../http/loaders/loader.ts';
import { type LoadedRun, runResource, serviceResource } from '../../http/loaders/service-loaders.ts';
import { logPage, nextCursor, pageByCreation, pageQuery } from '../../http/paging.ts';
import { type AnyRoute, type Call, defineRoute, keyOf } from '../../http/route.ts';
import { selectRuns } from '../../store/commands/run-store.ts';
import { scopedServiceId } from '../../store/sql/scoped-store.ts';
import { abortRun, endOrphanedRunLog } from '../../usecases/commands/abort-run.ts';
import { findQueuedRun, startRun } from '../../usecases/commands/start-run.ts';
import {
  logReaderOf,
  type TenantOfCaller,
  tenantOfCallerStatements,
} from '../../usecases/tenant-of-caller.ts';
import { askForLines } from '../logs/ask-for-lines.ts';
import { lastEventId } from '../logs/last-event-id.ts';
import { logDocument } from '../logs/log-document.ts';
import { logEventStream } from '../logs/log-event-stream.ts';
import { logEntrySchema } from '../present/present-deployment.ts';
import { logEventSchema } from '../present/present-log-event.ts';
import { presentRun, runSchema } from '../present/present-run.ts';

const runReply = z.strictObject({ run: runSchema.meta(notes.run) });

const bodySchema = z.strictObject({
  command: commandSchema.describe('The command to run.'),
  timeLimitSeconds: timeLimitSchema.default(runTimeDefaultSeconds).meta(notes.timeLimitSeconds),
  container: commandContainerSchema.default('new'),
});

const start = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/run',
  access: 'write',
  summary:
    'Run a command once, in a new container of the live image with the variables, network and limits of the service, or in the running container with its volumes.',
  resource: serviceResource,
  body: bodySchema,
  creates: {
    kind: 'run',
    async find({ deps }, id) {
      const run = await findQueuedRun(deps, id);
      return run && { run: presentRun(run) };
    },
  },
  reply: runReply,
  async handle({ deps, resource, body }) {
    return { run: presentRun(await startRun(deps, resource.service, body)) };
  },
});

const list = defineRoute({
  method: 'GET',
  path: '/api/services/:serviceId/runs',
  access: 'read',
  summary: "List the service's commands, newest first, at most 500 at a time.",
  resource: serviceResource,
  query: pageQuery(500),
  reads: (db, { tokenId, params, query }) => ({
    runs: selectRuns(db, scopedServiceId(db, tokenId, parameter(params, 'serviceId')), query),
  }),
  reply: z.strictObject({ runs: z.array(runSchema).describe('The commands, newest first.'), ...nextCursor }),
  async handle({ read, query }) {
    const { rows, next } = pageByCreation(read.runs, query);
    return { runs: rows.map(presentRun), ...next };
  },
});

const one = '/api/services/:serviceId/runs/:runId';

const read = defineRoute({
  method: 'GET',
  path: one,
  access: 'read',
  summary: 'Read a command, with its exit code once it has ended.',
  resource: runResource,
  reply: runReply,
  async handle({ resource }) {
    return { run: presentRun(resource.run) };
  },
});

const abort = defineRoute({
  method: 'POST',
  path: `${one}/abort`,
  access: 'write',
  summary: 'Abort a command: it gets SIGTERM, and SIGKILL after 10 s. 409 once it has ended.',
  resource: runResource,
  reply: z.strictObject({ accepted: z.literal(true).meta(notes.accepted) }),
  async handle({ deps, resource }) {
    await abortRun(deps, resource);
    return { accepted: true as const };
  },
});

const readLog = defineRoute({
  method: 'GET',
  path: `${one}/logs`,
  access: 'read',
  summary:
    "Read a command's output: all lines, or at most `limit` lines after `after`. `deploymentId` is the command's id.",
  resource: runResource,
  query: logPage,
  reply: z.object({ logs: z.array(logEntrySchema).meta(notes.logs) }),
  async handle(call) {
    const { deps, resource, query } = call;
    const { run } = resource;
    if (isLogOld(run.finishedAt, deps.now())) await endOrphanedRunLog(deps, run.id);
    askForLines(call);
    return logDocument(deps.logs, run.id, query);
  },
});

const streamLog = defineRoute({
  method: 'GET',
  path: `${one}/stream`,
  access: 'read',
  summary:
    "Follow a command's output as Server-Sent Events: snapshot, log, ping, status. Last-Event-ID resumes.",
  resource: runResource,
  reads: (db, { tokenId }) => tenantOfCallerStatements(db, tokenId),
  reply: 'stream',
  events: logEventSchema,
  handle: followLog,
});

export const runRoutes: AnyRoute[] = [start, list, read, abort, readLog, streamLog];

async function followLog(call: Call<LoadedRun, undefined, undefined, TenantOfCaller>): Promise<Response> {
  const { deps, request, resource, principal } = call;
  const { run } = resource;
  const after = lastEventId(request);
  await endOrphanedRunLog(deps, run.id);
  const reader = logReaderOf(keyOf(principal).countedAs, call.read);
  const socket = await deps.logs.subscribe(run.id, after, reader);
  askForLines(call);
  return logEventStream({
    socket,
    signal: request.signal,
    now: deps.now,
    async stillOpen() {
      if (!(await call.stillAllowed())) return false;
      await endOrphanedRunLog(deps, run.id);
      return true;
    },
  });
}
