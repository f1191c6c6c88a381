/** Deployments: queue, list, abort, roll back, and their build logs. */

import { z } from 'zod';
import { namedSourceFields, namedSourceOf } from '../../domain/deployments/named-source.ts';
import { isBuilt } from '../../domain/services/service-kind.ts';
import { switches, switchOf } from '../../domain/services/volumes.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { parameter } from '../../http/loaders/loader.ts';
import {
  deploymentResource,
  type LoadedDeployment,
  type LoadedService,
  serviceResource,
} from '../../http/loaders/service-loaders.ts';
import { deploymentPage, deploymentWait, logPage, nextCursor, pageByCreation } from '../../http/paging.ts';
import { type AnyRoute, type Call, defineRoute, keyOf } from '../../http/route.ts';
import { selectVolumeCount, serviceOfDeployment } from '../../store/services/volume-store.ts';
import { scopedServiceId } from '../../store/sql/scoped-store.ts';
import { endOrphanedLog, endOrphanedLogOf, explainRemovedLog } from '../../usecases/deployments/end-log.ts';
import {
  deploymentPageStatements,
  listDeployments,
  readDetailed,
} from '../../usecases/deployments/list-deployments.ts';
import { findQueued, queueDeployment } from '../../usecases/deployments/queue-deployment.ts';
import { rollbackDeployment } from '../../usecases/deployments/rollback-deployment.ts';
import { waitForDeployment } from '../../usecases/deployments/wait-for-deployment.ts';
import { abortDeployment } from '../../usecases/jobs/abort-deployment.ts';
import { folderToDeploy } from '../../usecases/sources/uploaded-folder.ts';
import {
  assertBuildMinutesLeft,
  buildMinutesStatements,
  logReaderOf,
  type TenantOfCaller,
  tenantOfCallerStatements,
} from '../../usecases/tenant-of-caller.ts';
import { readSwitch } from '../../usecases/volumes/read-switch.ts';
import { explainFailureRoute } from '../explanations/explain-failure.ts';
import { askForLines } from '../logs/ask-for-lines.ts';
import { lastEventId } from '../logs/last-event-id.ts';
import { logDocument } from '../logs/log-document.ts';
import { logEventStream } from '../logs/log-event-stream.ts';
import { deploymentSchema, logEntrySchema, presentDeployment } from '../present/present-deployment.ts';
import { logEventSchema } from '../present/present-log-event.ts';

const deploymentReply = z.object({ deployment: deploymentSchema });
const startedReply = deploymentReply.extend({
  switch: z.enum(switches).meta(notes.switch),
});

const createDeployment = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/deployments',
  access: 'deploy',
  summary:
    'Queue a deployment of the service. `ref` or `commitSha`: the commit, tag or branch to deploy instead of the newest commit. `uploadId`: the uploaded folder to build; without it the one that was deployed last.',
  resource: serviceResource,
  body: z
    .strictObject({
      uploadId: z
        .string()
        .optional()
        .describe('The uploaded folder to build; absent: the one that was deployed last.'),
      ...namedSourceFields,
    })
    .default({}),
  creates: { kind: 'deployment', find: findAgain },
  reads: (db, { tokenId, params }) => ({
    ...buildMinutesStatements(db, tokenId),
    volumes: selectVolumeCount(db, scopedServiceId(db, tokenId, parameter(params, 'serviceId'))),
  }),
  reply: startedReply,
  async handle({ deps, resource, read, body }) {
    if (isBuilt(resource.service)) assertBuildMinutesLeft(read, deps.now());
    const { service } = resource;
    const named = namedSourceOf(service.kind, body);
    const sourceDigest = await folderToDeploy(deps, service, body.uploadId);
    const deployment = await queueDeployment(deps, service, 'manual', sourceDigest, named);
    const volumes = read.volumes[0]?.count ?? 0;
    return { deployment: presentDeployment(deployment), switch: switchOf(resource.service, volumes) };
  },
});

const listServiceDeployments = defineRoute({
  method: 'GET',
  path: '/api/services/:serviceId/deployments',
  access: 'read',
  summary:
    "List the service's deployments, newest first. For the next page, set `cursor` to `nextCursor`, or `before` to the last id.",
  resource: serviceResource,
  query: deploymentPage,
  reads: (db, { tokenId, params, query }) =>
    deploymentPageStatements(db, { tokenId, serviceId: parameter(params, 'serviceId') }, query),
  reply: z.object({ deployments: z.array(deploymentSchema).meta(notes.deployments), ...nextCursor }),
  async handle({ read, query }) {
    const { rows, next } = pageByCreation(listDeployments(read), query);
    return { deployments: rows.map(presentDeployment), ...next };
  },
});

const readDeployment = defineRoute({
  method: 'GET',
  path: '/api/deployments/:deploymentId',
  access: 'read',
  summary: 'Read a deployment. With `wait`, the answer comes when it has ended, or after that many seconds.',
  resource: deploymentResource,
  query: deploymentWait,
  reads: (db, { tokenId }) => tenantOfCallerStatements(db, tokenId),
  reply: deploymentReply,
  async handle({ deps, resource, query, read, principal, request }) {
    const reader = logReaderOf(keyOf(principal).countedAs, read);
    const wait = { reader, forMs: query.wait * 1000, signal: request.signal };
    await waitForDeployment(deps, resource.deployment, wait);
    return { deployment: presentDeployment(await readDetailed(deps, resource.deployment.id)) };
  },
});

const abort = defineRoute({
  method: 'POST',
  path: '/api/deployments/:deploymentId/abort',
  access: 'deploy',
  summary: 'Abort the deployment; 409 once its new version receives traffic.',
  resource: deploymentResource,
  reply: z.object({ accepted: z.literal(true).meta(notes.accepted) }),
  async handle({ deps, resource }) {
    await abortDeployment(deps, resource);
    return { accepted: true as const };
  },
});

const rollback = defineRoute({
  method: 'POST',
  path: '/api/deployments/:deploymentId/rollback',
  access: 'deploy',
  summary:
    'Roll back to this deployment, reusing its stored image and variables without a build; 409 if its image is no longer stored.',
  resource: deploymentResource,
  reads: (db, { params }) => ({
    volumes: selectVolumeCount(db, serviceOfDeployment(parameter(params, 'deploymentId'))),
  }),
  creates: { kind: 'deployment', find: (call, id) => findAgain(call, id) },
  reply: startedReply,
  async handle({ deps, resource, read }) {
    const deployment = await rollbackDeployment(deps, resource);
    const volumes = read.volumes[0]?.count ?? 0;
    return { deployment: presentDeployment(deployment), switch: switchOf(resource.service, volumes) };
  },
});

const readLog = defineRoute({
  method: 'GET',
  path: '/api/deployments/:deploymentId/logs',
  access: 'read',
  summary: "Read the deployment's build log: all lines, or at most `limit` lines after `after`.",
  resource: deploymentResource,
  query: logPage,
  reply: z.object({ logs: z.array(logEntrySchema).meta(notes.logs) }),
  async handle(call) {
    const { deps, resource, query } = call;
    await explainRemovedLog(deps, resource);
    askForLines(call);
    return logDocument(deps.logs, resource.deployment.id, query);
  },
});

const streamLog = defineRoute({
  method: 'GET',
  path: '/api/deployments/:deploymentId/stream',
  access: 'read',
  summary: 'Follow the build log as Server-Sent Events: snapshot, log, ping, status. Last-Event-ID resumes.',
  resource: deploymentResource,
  reads: (db, { tokenId }) => tenantOfCallerStatements(db, tokenId),
  reply: 'stream',
  events: logEventSchema,
  handle: followLog,
});

export const deploymentRoutes: AnyRoute[] = [
  createDeployment,
  listServiceDeployments,
  readDeployment,
  abort,
  rollback,
  readLog,
  streamLog,
  explainFailureRoute,
];

async function findAgain(
  { deps, resource: { service } }: Pick<Call<LoadedService, unknown, unknown>, 'deps' | 'resource'>,
  id: string,
) {
  const deployment = await findQueued(deps, id);
  return deployment && { deployment: presentDeployment(deployment), switch: await readSwitch(deps, service) };
}

async function followLog(
  call: Call<LoadedDeployment, undefined, undefined, TenantOfCaller>,
): Promise<Response> {
  const { deps, request, resource } = call;
  const { deployment } = resource;
  const after = lastEventId(request);
  await endOrphanedLog(deps, resource);
  const socket = await deps.logs.subscribe(
    deployment.id,
    after,
    logReaderOf(keyOf(call.principal).countedAs, call.read),
  );
  askForLines(call);
  return logEventStream({
    socket,
    signal: request.signal,
    now: deps.now,
    async stillOpen() {
      if (!(await call.stillAllowed())) return false;
      await endOrphanedLogOf(deps, deployment.id);
      return true;
    },
  });
}
