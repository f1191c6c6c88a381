/** Services: create, read, change, transfer, delete. */

import { z } from 'zod';
import { proxyResultSchema } from '../../../protocol/host-task.ts';
import { note } from '../../../protocol/note.ts';
import { ApiError } from '../../domain/errors.ts';
import { allowedPatch } from '../../domain/projects/deletions.ts';
import { servicePatchSchema } from '../../domain/services/settings/service-settings.ts';
import { sourceChangeWarnings } from '../../domain/services/source-change.ts';
import { buildCommands, unusedCommandWarnings } from '../../domain/services/unused-commands.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { nameSchema } from '../../domain/values/name.ts';
import { variableListSchema } from '../../domain/variables/variable-fields.ts';
import { parameter } from '../../http/loaders/loader.ts';
import { projectResource, serviceResource } from '../../http/loaders/service-loaders.ts';
import { nextCursor, pageOf, pageQuery, placeByCreation } from '../../http/paging.ts';
import { type AnyRoute, defineRoute, keyOf } from '../../http/route.ts';
import { selectScopedView } from '../../store/deployments/overview-store.ts';
import { selectServicePage } from '../../store/services/service-view-store.ts';
import { lookForSilence } from '../../usecases/hosts/find-silent-hosts.ts';
import { changeHostPort } from '../../usecases/services/change-host-port.ts';
import { createService, findService } from '../../usecases/services/create-service.ts';
import { deleteService } from '../../usecases/services/delete-service.ts';
import { makeOverview, overviewStatements } from '../../usecases/services/read-overview.ts';
import {
  callerWarnings,
  referenceWarnings,
  variableWarnings,
} from '../../usecases/services/resolve-variables.ts';
import { transferService } from '../../usecases/services/transfer-service.ts';
import { updateService } from '../../usecases/services/update-service.ts';
import { purgeUnusedQuery } from '../deletions/purge-unused.ts';
import { overviewSchema, presentOverview } from '../present/present-overview.ts';
import { presentProject, projectSchema } from '../present/present-project.ts';
import { presentService, serviceSchema } from '../present/present-service.ts';
import { warningsOf, warningsPart } from '../present/present-warnings.ts';

const serviceReply = z.strictObject({ service: serviceSchema });

const create = defineRoute({
  method: 'POST',
  path: '/api/projects/:projectId/services',
  access: 'write',
  summary: 'Create a service from a Git repository or a container image.',
  resource: projectResource,
  body: servicePatchSchema.extend({ name: nameSchema, env: variableListSchema.optional() }),
  creates: {
    kind: 'service',
    async find({ deps }, id) {
      const view = await findService(deps, id);
      return view && { service: presentService(view) };
    },
  },
  reply: serviceReply.extend(warningsPart),
  async handle({ deps, resource: { project }, body }) {
    const view = await createService(deps, project, body);
    const warnings = [
      ...(await variableWarnings(deps, view.service, project, body.env ?? [])),
      ...unusedCommandWarnings(view.service),
    ];
    return { service: presentService(view), ...warningsOf(warnings) };
  },
});

const list = defineRoute({
  method: 'GET',
  path: '/api/projects/:projectId/services',
  access: 'read',
  summary: "List the project's services, oldest first.",
  resource: projectResource,
  query: pageQuery(500),
  reads: (db, { params, query }) => ({
    views: selectServicePage(db, parameter(params, 'projectId'), query),
  }),
  reply: z.strictObject({ services: z.array(serviceSchema).meta(notes.services), ...nextCursor }),
  async handle({ read: { views }, query }) {
    const { rows, next } = pageOf(views, query, ({ service }) => placeByCreation(service));
    return { services: rows.map(presentService), ...next };
  },
});

const read = defineRoute({
  method: 'GET',
  path: '/api/services/:serviceId',
  access: 'read',
  summary: 'Read a service.',
  resource: serviceResource,
  reads: (db, { tokenId, params }) => ({
    views: selectScopedView(db, tokenId, parameter(params, 'serviceId')),
  }),
  reply: serviceReply,
  async handle({ deps, read: { views }, waitUntil }) {
    const [view] = views;
    if (!view) throw new ApiError('not_found', 'This service was deleted in the meantime.');
    waitUntil(lookForSilence(deps, view.service.runnerId));
    return { service: presentService(view) };
  },
});

const overview = defineRoute({
  method: 'GET',
  path: '/api/services/:serviceId/overview',
  access: 'read',
  summary: 'Read a service with its deployments, variables and domains.',
  resource: serviceResource,
  reads: (db, { tokenId, params }) => overviewStatements(db, tokenId, parameter(params, 'serviceId')),
  reply: overviewSchema,
  async handle({ deps, resource, read, principal, waitUntil }) {
    waitUntil(lookForSilence(deps, resource.service.runnerId));
    return presentOverview(await makeOverview(deps, resource, read, keyOf(principal).access));
  },
});

const setsBuild = ['buildMethod', ...buildCommands] as const;

const update = defineRoute({
  method: 'PATCH',
  path: '/api/services/:serviceId',
  access: 'write',
  summary:
    'Change settings. Most take effect with the next restart; those of the source and the build, with the next deployment. Omitted fields keep their values, null clears one. `repoUrl` with another kind of source replaces the source and keeps the rest of the service.',
  resource: serviceResource,
  body: servicePatchSchema.refine(
    (body) => Object.keys(body).length > 0,
    'is empty: give at least one field to change',
  ),
  reply: serviceReply.extend(warningsPart),
  async handle({ deps, resource, body, principal }) {
    const patch = allowedPatch(resource.service, body, keyOf(principal).access);
    const view = await updateService(deps, resource, patch);
    const [moves, sleeps] = [patch.runnerId !== undefined, typeof patch.sleepAfterMinutes === 'number'];
    const warnings = [
      ...sourceChangeWarnings(resource.service, view.service, typeof patch.gitToken === 'string'),
      ...(moves ? await referenceWarnings(deps, view.service, resource.project) : []),
      ...(sleeps ? await callerWarnings(deps, view.service, resource.project) : []),
      ...(setsBuild.some((name) => patch[name] !== undefined) ? unusedCommandWarnings(view.service) : []),
    ];
    return { service: presentService(view), ...warningsOf(warnings) };
  },
});

const transfer = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/transfer',
  access: 'write',
  summary: 'Move a service to another project of the same tenant. The key needs access to both projects.',
  resource: serviceResource,
  body: z.strictObject({
    targetProjectId: z.string().meta(note('The project to which the service moves.', 'prj_8d2k5f7h1j4l6q9w')),
  }),
  reply: serviceReply.extend({ project: projectSchema, proxy: proxyResultSchema.meta(notes.proxy) }),
  async handle({ deps, resource, principal, body }) {
    const target = { scope: keyOf(principal), targetId: body.targetProjectId };
    const { service, project, services, proxy } = await transferService(deps, resource, target);
    return { service: presentService(service), project: presentProject(project, services), proxy };
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path: '/api/services/:serviceId',
  access: 'write',
  summary:
    'Delete a service and everything that belongs to it. `detail` says until when it can be restored, and how.',
  resource: serviceResource,
  query: purgeUnusedQuery,
  reply: z.strictObject({ ok: z.literal(true).meta(notes.ok), proxy: proxyResultSchema.meta(notes.proxy) }),
  async handle({ deps, resource, query }) {
    const options = { purgesUnused: query.purgeIfUnused === 'true' };
    return { ok: true as const, proxy: await deleteService(deps, resource.service.id, options) };
  },
});

const changePort = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/host-port',
  access: 'write',
  summary:
    'Give a service another port of its host, the next free one or `port`. A version that serves keeps its port until the next deployment (`pending`).',
  resource: serviceResource,
  body: z
    .strictObject({
      port: z
        .int()
        .min(1, 'must be a port from 1 to 65535')
        .max(65535)
        .optional()
        .meta({
          description: 'A port of the block that the host has for apps or for databases.',
          examples: [41_005],
        }),
    })
    .optional(),
  reply: z.strictObject({
    service: serviceSchema,
    port: z.int().meta(note('The port that the service has or will have.', 41_005)),
    pending: z.boolean().describe('Whether it only takes effect with the next deployment.'),
  }),
  async handle({ deps, resource: { service }, body }) {
    const { view, port, pending } = await changeHostPort(deps, service, body?.port);
    return { service: presentService(view), port, pending };
  },
});

export const serviceRoutes: AnyRoute[] = [
  ...[list, create, read, overview, update, transfer, remove],
  changePort,
];
