/** Restart, stop and start of a service without a build. */

import { z } from 'zod';
import { proxyResultSchema } from '../../../protocol/host-task.ts';
import { switches, switchOf } from '../../domain/services/volumes.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { type PathParameters, parameter } from '../../http/loaders/loader.ts';
import { type LoadedService, serviceResource } from '../../http/loaders/service-loaders.ts';
import { type AnyRoute, type Call, defineRoute } from '../../http/route.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import { selectVolumeCount } from '../../store/services/volume-store.ts';
import type { Database } from '../../store/sql/database.ts';
import type { Statements } from '../../store/sql/read-together.ts';
import { scopedServiceId } from '../../store/sql/scoped-store.ts';
import { findQueued } from '../../usecases/deployments/queue-deployment.ts';
import { interruptionOf, restartService } from '../../usecases/deployments/restart-service.ts';
import { stopService } from '../../usecases/deployments/stop-service.ts';
import { deploymentSchema, presentDeployment } from '../present/present-deployment.ts';
import { presentService, serviceSchema } from '../present/present-service.ts';

const startReply = z.strictObject({
  deployment: deploymentSchema,
  /** Whether requests are answered during the restart. */
  detail: z.string().meta(notes.detail),
  switch: z.enum(switches).meta(notes.switch),
});

const volumeCount = (
  db: Database,
  { tokenId, params }: { tokenId: string; params: PathParameters },
): Statements<VolumeCount> => ({
  volumes: selectVolumeCount(db, scopedServiceId(db, tokenId, parameter(params, 'serviceId'))),
});

const restart = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/restart',
  access: 'deploy',
  summary:
    'Start the live version again in a new container, with the variables and settings of now; nothing is built. 409 while the service is stopped or has no live version.',
  resource: serviceResource,
  creates: { kind: 'deployment', find: findAgain },
  reply: startReply,
  reads: volumeCount,
  async handle({ deps, resource: { service }, read }) {
    const deployment = await restartService(deps, { service, action: 'restart' });
    return { deployment: presentDeployment(deployment), ...interruption(service, read) };
  },
});

const start = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/start',
  access: 'deploy',
  summary:
    'Start a stopped service again in a new container, with the variables and settings of now; nothing is built. 409 if it is not stopped.',
  resource: serviceResource,
  creates: { kind: 'deployment', find: findAgain },
  reply: startReply,
  reads: volumeCount,
  async handle({ deps, resource: { service }, read }) {
    const deployment = await restartService(deps, { service, action: 'start' });
    return { deployment: presentDeployment(deployment), ...interruption(service, read) };
  },
});

const stop = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/stop',
  access: 'deploy',
  summary:
    'Stop the service until it is started or deployed again. Its names answer 503 meanwhile; its data, image and settings stay. 409 while a job of the service is in progress.',
  resource: serviceResource,
  creates: {},
  reply: z.strictObject({ service: serviceSchema, proxy: proxyResultSchema.meta(notes.proxy) }),
  async handle({ deps, resource }) {
    const { service, proxy } = await stopService(deps, resource.service.id);
    return { service: presentService(service), proxy };
  },
});

export const startStopRoutes: AnyRoute[] = [restart, stop, start];

async function findAgain(
  { deps, resource: { service } }: Pick<Call<LoadedService, unknown, unknown>, 'deps' | 'resource'>,
  id: string,
) {
  const deployment = await findQueued(deps, id);
  if (!deployment) return undefined;
  const volumes = await selectVolumeCount(deps.db, service.id);
  return { deployment: presentDeployment(deployment), ...interruption(service, { volumes }) };
}

interface VolumeCount {
  volumes: { count: number }[];
}

function interruption(service: ServiceRow, { volumes }: VolumeCount) {
  const change = switchOf(service, volumes[0]?.count ?? 0);
  return { switch: change, detail: interruptionOf(service, change) };
}
