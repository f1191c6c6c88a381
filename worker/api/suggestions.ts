/** Suggested variables for a service. Suggestions hold keys and references, never values. */
import { z } from 'zod';
import { parameter, projectResource, serviceResource } from '../http/resources.ts';
import { type AnyRoute, defineRoute } from '../http/route.ts';
import { scopedProjectId, scopedProjectIdOf } from '../store/sql/scoped-store.ts';
import { projectReferences, referenceStatements } from '../usecases/services/project-references.ts';
import {
  suggestDatabaseVariables,
  suggestionStatements,
  suggestKeys,
} from '../usecases/services/read-suggestions.ts';

const databaseSuggestionSchema = z.strictObject({ key: z.string(), value: z.string(), label: z.string() });
const keySuggestionSchema = z.strictObject({ key: z.string(), label: z.string() });

const ofProject = defineRoute({
  method: 'GET',
  path: '/api/projects/:projectId/database-variable-suggestions',
  access: 'read',
  summary: "List references to the variables of the project's databases.",
  resource: projectResource,
  reads: (db, { tokenId, params }) =>
    suggestionStatements(db, scopedProjectId(db, tokenId, parameter(params, 'projectId'))),
  reply: z.strictObject({ suggestions: z.array(databaseSuggestionSchema) }),
  async handle({ read }) {
    return { suggestions: suggestDatabaseVariables(read) };
  },
});

const ofService = defineRoute({
  method: 'GET',
  path: '/api/services/:serviceId/suggestion-keys',
  access: 'read',
  summary: 'List variables that the service probably needs but does not have, and references to databases.',
  resource: serviceResource,
  reads: (db, { tokenId, params }) =>
    suggestionStatements(db, scopedProjectIdOf(db, tokenId, parameter(params, 'serviceId'))),
  reply: z.strictObject({
    suggestions: z.array(keySuggestionSchema),
    databaseVariables: z.array(databaseSuggestionSchema),
  }),
  handle: async ({ resource, read }) => suggestKeys(resource.service, read),
});

const references = defineRoute({
  method: 'GET',
  path: '/api/projects/:projectId/references',
  access: 'read',
  summary:
    'List which services refer to which others by their variables, and the names that references can use. No values.',
  resource: projectResource,
  reads: (db, { tokenId, params }) =>
    referenceStatements(db, scopedProjectId(db, tokenId, parameter(params, 'projectId'))),
  reply: z.strictObject({
    services: z
      .array(
        z.strictObject({
          serviceId: z.string(),
          slug: z.string(),
          keys: z
            .array(z.string())
            .describe('Its variables, and those that exist only for references, sorted.')
            .meta({ examples: [['DATABASE_URL']] }),
        }),
      )
      .describe('What can be referred to, in order of creation.'),
    references: z
      .array(
        z.strictObject({
          serviceId: z.string(),
          targetServiceId: z.string().describe('The service that its variables refer to.'),
          keys: z
            .array(z.string())
            .describe('The variables that do so, sorted.')
            .meta({ examples: [['DATABASE_URL']] }),
        }),
      )
      .describe('From one service to another.'),
    isComplete: z
      .boolean()
      .describe('False: the project has so many variables that only the oldest ones were looked at.'),
  }),
  handle: ({ deps, resource, read }) => projectReferences(deps, resource.project, read),
});

export const suggestionRoutes: AnyRoute[] = [ofProject, ofService, references];
