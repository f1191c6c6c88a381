/** Suggested variables for a service. Suggestions hold keys and references, never values. */

import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { exampleId, notes } from '../../domain/values/field-notes.ts';
import { parameter } from '../../http/loaders/loader.ts';
import { projectResource, serviceResource } from '../../http/loaders/service-loaders.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { scopedProjectId, scopedProjectIdOf } from '../../store/sql/scoped-store.ts';
import { projectReferences, referenceStatements } from '../../usecases/services/project-references.ts';
import {
  suggestDatabaseVariables,
  suggestionStatements,
  suggestKeys,
} from '../../usecases/services/read-suggestions.ts';

const databaseSuggestionSchema = z.strictObject({
  key: z.string().meta(notes.key),
  value: z.string().describe('The value to set.'),
  label: z.string().meta(notes.label),
});
const keySuggestionSchema = z.strictObject({
  key: z.string().meta(notes.key),
  label: z.string().meta(notes.label),
});

const ofProject = defineRoute({
  method: 'GET',
  path: '/api/projects/:projectId/database-variable-suggestions',
  access: 'read',
  summary: "List references to the variables of the project's databases.",
  resource: projectResource,
  reads: (db, { tokenId, params }) =>
    suggestionStatements(db, scopedProjectId(db, tokenId, parameter(params, 'projectId'))),
  reply: z.strictObject({ suggestions: z.array(databaseSuggestionSchema).meta(notes.suggestions) }),
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
    suggestions: z.array(keySuggestionSchema).meta(notes.suggestions),
    databaseVariables: z.array(databaseSuggestionSchema).describe("References to the project's databases."),
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
          serviceId: z.string().meta(notes.serviceId),
          slug: z.string().meta(notes.slug),
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
          serviceId: z.string().meta(notes.serviceId),
          targetServiceId: z
            .string()
            .meta(note('The service that its variables refer to.', exampleId('service'))),
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
