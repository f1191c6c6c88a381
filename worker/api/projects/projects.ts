/** Projects: list, create, read, change, delete. */

import { z } from 'zod';
import { proxyResultSchema } from '../../../protocol/host-task.ts';
import { projectDescriptionSchema } from '../../domain/projects/project-fields.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { nameSchema } from '../../domain/values/name.ts';
import { parameter } from '../../http/loaders/loader.ts';
import { projectBySlugResource, projectResource } from '../../http/loaders/service-loaders.ts';
import { nextCursor, pageOf, pageQuery, placeByCreation } from '../../http/paging.ts';
import { type AnyRoute, defineRoute, keyOf } from '../../http/route.ts';
import type { ProjectRow } from '../../store/projects/project-store.ts';
import { createProject } from '../../usecases/projects/create-project.ts';
import { deleteProject } from '../../usecases/projects/delete-project.ts';
import {
  findProject,
  projectListStatements,
  projectServicesStatements,
  serviceViews,
  wholeProjects,
} from '../../usecases/projects/read-projects.ts';
import { updateProject } from '../../usecases/projects/update-project.ts';
import { purgeUnusedQuery } from '../deletions/purge-unused.ts';
import { presentProject, projectSchema } from '../present/present-project.ts';

const placeOfProject = ({ project }: { project: ProjectRow }) => placeByCreation(project);
const projectReply = z.strictObject({ project: projectSchema });

const list = defineRoute({
  method: 'GET',
  path: '/api/projects',
  access: 'read',
  summary:
    'List the projects that the key can access, with their services, oldest first. An answer has at most 2,000 services, unless one project has more.',
  query: pageQuery(1_000),
  reads: (db, { tokenId, query }) => projectListStatements(db, tokenId, query),
  reply: z.strictObject({
    projects: z.array(projectSchema).describe('The projects that the key can see.'),
    ...nextCursor,
  }),
  async handle({ deps, read, query }) {
    const whole = await wholeProjects(deps, read);
    const isCut = whole.length < read.projects.length;
    const limit = Math.min(query.limit, isCut ? whole.length : query.limit);
    const { rows } = pageOf(whole, { limit }, placeOfProject);
    const { next } = pageOf(read.projects, { limit }, placeOfProject);
    return { projects: rows.map(({ project, services }) => presentProject(project, services)), ...next };
  },
});

const create = defineRoute({
  method: 'POST',
  path: '/api/projects',
  access: 'write',
  onlyAllProjects: true,
  summary: 'Create a project.',
  body: z.strictObject({
    name: nameSchema,
    description: projectDescriptionSchema.default('').meta(notes.description),
  }),
  creates: {
    kind: 'project',
    async find({ deps }, id) {
      const view = await findProject(deps, id);
      return view && { project: presentProject(view.project, view.services) };
    },
  },
  reply: projectReply,
  async handle({ deps, principal, body }) {
    return { project: presentProject(await createProject(deps, keyOf(principal).tenantId, body), []) };
  },
});

const read = defineRoute({
  method: 'GET',
  path: '/api/projects/:projectSlug',
  access: 'read',
  summary: 'Read a project by its slug or id.',
  resource: projectBySlugResource,
  reads: (db, { tokenId, params }) =>
    projectServicesStatements(db, tokenId, parameter(params, 'projectSlug')),
  reply: projectReply,
  async handle({ resource, read }) {
    return { project: presentProject(resource.project, serviceViews(read)) };
  },
});

const update = defineRoute({
  method: 'PATCH',
  path: '/api/projects/:projectId',
  access: 'write',
  summary: 'Change the name or description; the slug stays the same.',
  resource: projectResource,
  body: z
    .strictObject({ name: nameSchema, description: projectDescriptionSchema.meta(notes.description) })
    .partial()
    .refine((body) => Object.keys(body).length > 0, 'is empty: give "name" or "description"'),
  reply: projectReply,
  async handle({ deps, resource, body }) {
    const { project, services } = await updateProject(deps, resource.project.id, body);
    return { project: presentProject(project, services) };
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path: '/api/projects/:projectId',
  access: 'write',
  summary:
    'Delete a project with its services, domains, variables, deployments and logs. `detail` says until when it can be restored, and how.',
  resource: projectResource,
  query: purgeUnusedQuery,
  reply: z.strictObject({ ok: z.literal(true).meta(notes.ok), proxy: proxyResultSchema.meta(notes.proxy) }),
  async handle({ deps, resource, query }) {
    const options = { purgesUnused: query.purgeIfUnused === 'true' };
    return { ok: true as const, proxy: await deleteProject(deps, resource.project.id, options) };
  },
});

export const projectRoutes: AnyRoute[] = [list, create, read, update, remove];
