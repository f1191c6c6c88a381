/** Retention of deleted resources, their immediate removal, and protection against deletion, for the operator. */

import { z } from 'zod';
import { notes } from '../../domain/values/field-notes.ts';
import { deletedResource, operatorServiceResource } from '../../http/loaders/operator-loaders.ts';
import { nextCursor, pageOf, pageQuery } from '../../http/paging.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { selectAllDeletions } from '../../store/deletions/deletion-list-store.ts';
import { withItsParts } from '../../store/deletions/purge-store.ts';
import { purge } from '../../usecases/deletions/purge-deletions.ts';
import { updateService } from '../../usecases/services/update-service.ts';
import { presentService, serviceSchema } from '../present/present-service.ts';
import { operatorDeletionSchema, placeOfDeletion, presentOperatorDeletion } from './present-deletion.ts';

const list = defineRoute({
  method: 'GET',
  path: '/api/system/deleted',
  access: 'operator',
  summary:
    'List what is kept of deleted services, projects, backups and volumes, with the hosts that keep it, oldest first.',
  query: pageQuery(1_000),
  reads: (db, { query }) => ({ deletions: selectAllDeletions(db, query) }),
  reply: z.strictObject({ deleted: z.array(operatorDeletionSchema).meta(notes.deleted), ...nextCursor }),
  async handle({ read, query }) {
    const { rows, next } = pageOf(read.deletions, query, placeOfDeletion);
    return { deleted: rows.map(presentOperatorDeletion), ...next };
  },
});

const remove = defineRoute({
  method: 'POST',
  path: '/api/system/deleted/:resourceId/purge',
  access: 'operator',
  summary:
    'Remove a deleted service, project, backup or volume permanently, including its parts that were deleted before. The space on hosts and in the bucket is freed within minutes.',
  resource: deletedResource,
  reply: z.strictObject({ ok: z.literal(true).meta(notes.ok) }),
  async handle({ deps, resource: { deletion } }) {
    await purge(deps, withItsParts(deletion.resourceId));
    return { ok: true as const };
  },
});

const protect = defineRoute({
  method: 'PATCH',
  path: '/api/system/services/:serviceId',
  access: 'operator',
  summary: 'Protect a service, its project and its backups against deletion, or end the protection.',
  resource: operatorServiceResource,
  body: z.strictObject({
    protected: z.boolean().describe('Whether it, its project and its backups are kept from deletion.'),
  }),
  reply: z.strictObject({ service: serviceSchema }),
  async handle({ deps, resource, body }) {
    return { service: presentService(await updateService(deps, resource, body)) };
  },
});

export const purgeDeletedRoutes: AnyRoute[] = [list, remove, protect];
