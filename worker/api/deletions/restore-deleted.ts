/** Deleted resources that can still be restored, and their restore. */

import { z } from 'zod';
import { absent } from '../../domain/errors.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { parameter } from '../../http/loaders/loader.ts';
import { deletionResource } from '../../http/loaders/service-loaders.ts';
import { nextCursor, pageOf, pageQuery } from '../../http/paging.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { findBackup } from '../../store/backups/backup-store.ts';
import { selectScopedDeletions } from '../../store/deletions/deletion-list-store.ts';
import { restoreDeletion } from '../../usecases/deletions/restore-deletion.ts';
import { findProject } from '../../usecases/projects/read-projects.ts';
import { findService } from '../../usecases/services/create-service.ts';
import { backupSchema, presentBackup } from '../present/present-backup.ts';
import { presentProject, projectSchema } from '../present/present-project.ts';
import { presentService, serviceSchema } from '../present/present-service.ts';
import { changeSchema, deletionSchema, placeOfDeletion, presentDeletion } from './present-deletion.ts';

const changes = z.array(changeSchema);

const list = defineRoute({
  method: 'GET',
  path: '/api/deleted',
  access: 'read',
  summary:
    'List the deleted services, projects, backups and volumes that can still be restored, newest first.',
  query: pageQuery(1_000),
  reads: (db, { tokenId, query }) => ({ deletions: selectScopedDeletions(db, tokenId, query) }),
  reply: z.strictObject({ deleted: z.array(deletionSchema).meta(notes.deleted), ...nextCursor }),
  async handle({ deps, read, query }) {
    const now = deps.now();
    const { rows, next } = pageOf(read.deletions, query, placeOfDeletion);
    const open = rows.filter(({ deletion }) => deletion.restorableUntil > now);
    return { deleted: open.map(presentDeletion), ...next };
  },
});

const service = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/restore',
  access: 'write',
  summary:
    'Restore a deleted service with its data, variables, domains, backups and history, and start the version that was live. `changes` lists what was taken by others in the meantime.',
  resource: deletionResource('service', (params) => ({ resourceId: parameter(params, 'serviceId') })),
  creates: {},
  reply: z.strictObject({ service: serviceSchema, changes: changes.meta(notes.changes) }),
  async handle({ deps, resource: { deletion } }) {
    const differences = await restoreDeletion(deps, deletion);
    const view = await findService(deps, deletion.resourceId);
    if (!view) throw absent('service');
    return { service: presentService(view), changes: differences };
  },
});

const project = defineRoute({
  method: 'POST',
  path: '/api/projects/:projectId/restore',
  access: 'write',
  summary:
    'Restore a deleted project with the services that were deleted with it, and start them, databases first. `changes` lists what was taken by others in the meantime.',
  resource: deletionResource('project', (params) => ({ resourceId: parameter(params, 'projectId') })),
  creates: {},
  reply: z.strictObject({ project: projectSchema, changes: changes.meta(notes.changes) }),
  async handle({ deps, resource: { deletion } }) {
    const differences = await restoreDeletion(deps, deletion);
    const view = await findProject(deps, deletion.resourceId);
    if (!view) throw absent('project');
    return { project: presentProject(view.project, view.services), changes: differences };
  },
});

const backup = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/database/backups/:backupId/undelete',
  access: 'write',
  summary: 'Bring back a deleted backup. The data of the database does not change.',
  resource: deletionResource('backup', (params) => ({
    resourceId: parameter(params, 'backupId'),
    serviceId: parameter(params, 'serviceId'),
  })),
  creates: {},
  reply: z.strictObject({ backup: backupSchema }),
  async handle({ deps, resource: { deletion } }) {
    await restoreDeletion(deps, deletion);
    const row = await findBackup(deps.db, deletion.resourceId);
    if (!row) throw absent('backup');
    return { backup: presentBackup(row) };
  },
});

export const restoreDeletedRoutes: AnyRoute[] = [list, service, project, backup];
