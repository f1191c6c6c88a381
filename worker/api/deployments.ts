/** Deployments: INTERFACE section 4.6. */
import { z } from 'zod';
import { ApiError } from '../domain/errors.ts';
import { listDeployments } from '../store/deployment-store.ts';
import { abortDeployment } from '../usecases/abort-deployment.ts';
import { endForgottenLog, endForgottenLogOf } from '../usecases/end-forgotten-log.ts';
import { queueDeployment } from '../usecases/queue-deployment.ts';
import { logDocument } from './log-document.ts';
import { logEventStream } from './log-event-stream.ts';
import { deploymentSchema, logEntrySchema, presentDeployment } from './present-deployment.ts';
import { deploymentResource, type LoadedDeployment, serviceResource } from './resources.ts';
import { type AnyRoute, type Call, defineRoute } from './route.ts';

const createDeployment = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/deployments',
  access: 'write',
  summary: 'Queue a deployment of the service.',
  resource: serviceResource,
  reply: z.object({ deployment: deploymentSchema }),
  async handle({ deps, resource }) {
    return { deployment: presentDeployment(await queueDeployment(deps, resource.service, 'manual')) };
  },
});

const listServiceDeployments = defineRoute({
  method: 'GET',
  path: '/api/services/:serviceId/deployments',
  access: 'read',
  summary: "List the service's deployments, newest first.",
  resource: serviceResource,
  reply: z.object({ deployments: z.array(deploymentSchema) }),
  async handle({ deps, resource }) {
    return { deployments: (await listDeployments(deps.db, resource.service.id)).map(presentDeployment) };
  },
});

const abort = defineRoute({
  method: 'POST',
  path: '/api/deployments/:deploymentId/abort',
  access: 'write',
  summary: 'Abort the deployment; 409 once its new version takes over the traffic.',
  resource: deploymentResource,
  reply: z.object({ accepted: z.literal(true) }),
  async handle({ deps, resource }) {
    await abortDeployment(deps, resource);
    return { accepted: true as const };
  },
});

const readLog = defineRoute({
  method: 'GET',
  path: '/api/deployments/:deploymentId/logs',
  access: 'read',
  summary: "Read the deployment's build log.",
  resource: deploymentResource,
  reply: z.object({ logs: z.array(logEntrySchema) }),
  handle: ({ deps, resource }) => logDocument(deps.logs, resource.deployment.id),
});

const streamLog = defineRoute({
  method: 'GET',
  path: '/api/deployments/:deploymentId/stream',
  access: 'read',
  summary: 'Follow the build log as Server-Sent Events: snapshot, log, ping, status. Last-Event-ID resumes.',
  resource: deploymentResource,
  reply: 'stream',
  handle: followLog,
});

export const deploymentRoutes: AnyRoute[] = [
  createDeployment,
  listServiceDeployments,
  abort,
  readLog,
  streamLog,
];

async function followLog(call: Call<LoadedDeployment, undefined, undefined>): Promise<Response> {
  const { deps, request, resource } = call;
  const { deployment, job } = resource;
  const after = lastEventId(request);
  await endForgottenLog(deps, resource);
  const socket = await deps.logs.subscribe(deployment.id, after);
  if (job.state === 'active') call.waitUntil(deps.hubs.watchLog(job.runnerId, job.id));
  return logEventStream({
    socket,
    signal: request.signal,
    now: deps.now,
    async stillOpen() {
      if (!(await call.stillAllowed())) return false;
      await endForgottenLogOf(deps, deployment.id);
      return true;
    },
  });
}

/** Id of the last log line the client has; 0 for a new one. */
function lastEventId(request: Request): number {
  const header = request.headers.get('last-event-id') ?? '';
  if (header === '') return 0;
  if (!/^\d{1,15}$/.test(header)) {
    throw new ApiError('invalid_request', 'Last-Event-ID must be the id of a log line: an integer from 0.');
  }
  return Number(header);
}
