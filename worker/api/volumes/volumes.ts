/** Volumes of a service that is no database: list, create, change, delete, restore. */

import { z } from 'zod';
import {
  newVolumeSchema,
  switches,
  switchOf,
  volumeNotice,
  volumePatchSchema,
} from '../../domain/services/volumes.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { parameter } from '../../http/loaders/loader.ts';
import { deletionResource, serviceResource, volumeResource } from '../../http/loaders/service-loaders.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { findVolume, selectVolumes } from '../../store/services/volume-store.ts';
import { scopedServiceId } from '../../store/sql/scoped-store.ts';
import { findService } from '../../usecases/services/create-service.ts';
import { changeVolume, createVolume } from '../../usecases/volumes/change-volumes.ts';
import { deleteVolume, restoreVolume } from '../../usecases/volumes/delete-volume.ts';
import { presentVolume, volumeSchema } from '../present/present-volume.ts';

const volumeReply = z.strictObject({
  volume: volumeSchema,
  switch: z.enum(switches).meta(notes.switch),
  detail: z.string().meta(notes.detail),
});

const all = '/api/services/:serviceId/volumes';
const one = `${all}/:volumeId`;
const stopStart = { switch: 'stop-start' as const, detail: volumeNotice };

const list = defineRoute({
  method: 'GET',
  path: all,
  access: 'read',
  summary:
    "List the service's volumes, in order of creation, with what they hold as last measured by the host, and how its deployments switch versions.",
  resource: serviceResource,
  reads: (db, { tokenId, params }) => ({
    volumes: selectVolumes(db, scopedServiceId(db, tokenId, parameter(params, 'serviceId'))),
  }),
  reply: z.strictObject({
    volumes: z.array(volumeSchema).meta(notes.volumes),
    switch: z.enum(switches).meta(notes.switch),
  }),
  async handle({ resource, read }) {
    return {
      volumes: read.volumes.map(presentVolume),
      switch: switchOf(resource.service, read.volumes.length),
    };
  },
});

const create = defineRoute({
  method: 'POST',
  path: all,
  access: 'write',
  summary:
    'Create a volume: a directory that outlives the containers of the service. It is mounted by the next deployment. From then on, each deployment stops the old version before the new one starts.',
  resource: serviceResource,
  body: newVolumeSchema,
  creates: {
    kind: 'volume',
    async find({ deps }, id) {
      const volume = await findVolume(deps.db, id);
      return volume && { volume: presentVolume(volume), ...stopStart };
    },
  },
  reply: volumeReply,
  async handle({ deps, resource, body }) {
    return { volume: presentVolume(await createVolume(deps, resource, body)), ...stopStart };
  },
});

const change = defineRoute({
  method: 'PATCH',
  path: one,
  access: 'write',
  summary:
    'Change a volume; its data stays. It takes effect with the next deployment. Omitted fields keep their values; `sizeMb` null removes the limit.',
  resource: volumeResource,
  body: volumePatchSchema,
  reply: volumeReply,
  async handle({ deps, resource, body }) {
    return { volume: presentVolume(await changeVolume(deps, resource.volume, body)), ...stopStart };
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path: one,
  access: 'write',
  summary:
    'Delete a volume. The running version keeps it until the next deployment. `detail` says until when it can be restored with its data, and how.',
  resource: volumeResource,
  reply: z.strictObject({ ok: z.literal(true).meta(notes.ok), detail: z.string().meta(notes.detail) }),
  async handle({ deps, resource }) {
    return { ok: true as const, detail: await deleteVolume(deps, resource) };
  },
});

const restore = defineRoute({
  method: 'POST',
  path: `${one}/restore`,
  access: 'write',
  summary: 'Bring back a deleted volume with its data. It is mounted by the next deployment.',
  resource: deletionResource('volume', (params) => ({
    resourceId: parameter(params, 'volumeId'),
    serviceId: parameter(params, 'serviceId'),
  })),
  creates: {},
  reply: volumeReply,
  async handle({ deps, resource: { deletion } }) {
    const view = await findService(deps, deletion.serviceId ?? '');
    const volume = await restoreVolume(deps, deletion, view?.service);
    return { volume: presentVolume(volume), ...stopStart };
  },
});

export const volumeRoutes: AnyRoute[] = [list, create, change, remove, restore];
