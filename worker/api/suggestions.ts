/** Suggested variables for a service. Suggestions hold keys and references, never values. */
import { z } from 'zod';
import { parameter, projectResource, serviceResource } from '../http/resources.ts';
import { type AnyRoute, defineRoute } from '../http/route.ts';
import { scopedProjectId, scopedProjectIdOf } from '../store/scoped-store.ts';
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

export const suggestionRoutes: AnyRoute[] = [ofProject, ofService];
