/** Moves of services with volumes. */

import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { switches } from '../../domain/services/volumes.ts';
import { exampleId, notes } from '../../domain/values/field-notes.ts';
import { parameter } from '../../http/loaders/loader.ts';
import { serviceResource } from '../../http/loaders/service-loaders.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { selectVolumes, type VolumeRow } from '../../store/services/volume-store.ts';
import { scopedServiceId } from '../../store/sql/scoped-store.ts';
import { findQueued } from '../../usecases/deployments/queue-deployment.ts';
import { measureVolumes, sumOfAll } from '../../usecases/volumes/measure-volumes.ts';
import { moveVolumes, planVolumeMove } from '../../usecases/volumes/move-volumes.ts';
import { deploymentSchema, presentDeployment } from '../present/present-deployment.ts';

const moveReply = z.strictObject({
  deployment: deploymentSchema
    .nullable()
    .describe('The deployment on the new host, whose end is the end of the move; null for a dry run.'),
  switch: z.enum(switches).meta(notes.switch),
  dataMb: z
    .int()
    .nullable()
    .describe(
      'What its volumes hold together now, in megabytes; null: its host is not connected, or could not count all files within 10 s.',
    ),
  detail: z.string().meta(notes.detail),
});

const move = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/move',
  access: 'write',
  summary:
    "Move a service with volumes to another host. Its image is prepared there; then it is stopped, its volumes are copied through the bucket, and it starts there. If anything fails, it starts again on its old host with its data. It can't be deleted meanwhile. `dryRun` only answers what would happen. A service without volumes moves by PATCH and is never away.",
  resource: serviceResource,
  reads: (db, { tokenId, params }) => ({
    volumes: selectVolumes(db, scopedServiceId(db, tokenId, parameter(params, 'serviceId'))),
  }),
  body: z.strictObject({
    runnerId: z.string().meta(note('The host to move to.', exampleId('runner'))),
    dryRun: z.boolean().optional().describe('Whether to change nothing and only answer what would happen.'),
  }),
  creates: {
    kind: 'deployment',
    async find({ deps, read }, id) {
      const deployment = await findQueued(deps, id);
      return deployment && { deployment: presentDeployment(deployment), ...noticeOf(read.volumes, null) };
    },
  },
  reply: moveReply,
  async handle({ deps, resource, body: { runnerId, dryRun = false } }) {
    const plan = await planVolumeMove(deps, resource, runnerId);
    const { service } = resource;
    const [deployment, dataMb] = await Promise.all([
      dryRun ? null : moveVolumes(deps, service, plan),
      plan.from ? measureVolumes(deps, plan.from, service.id, plan.volumes) : null,
    ]);
    return { deployment: deployment && presentDeployment(deployment), ...noticeOf(plan.volumes, dataMb) };
  },
});

/** @param dataMb present data of the volumes; null if unknown */
function noticeOf(volumes: readonly VolumeRow[], dataMb: number | null) {
  const before = sumOfAll(volumes.map(({ usedMb }) => usedMb));
  const earlier =
    before === null ? '' : ` (${before} MB when the host last measured them, perhaps minutes ago)`;
  const amount = dataMb === null ? `its files${earlier}` : `its ${dataMb} MB of files`;
  return {
    switch: 'stop-start' as const,
    dataMb,
    detail: `Its image is built or pulled on the new host while the service still answers. Then it stops: ${amount} are packed on the old host, sent to the bucket, fetched and unpacked on the new one, and it starts there. If anything fails or you abort the deployment, it starts again on the old host, with its data. The old host keeps its files for 72 hours; backups that are only on its disk stay there.`,
  };
}

export const moveRoutes: AnyRoute[] = [move];
