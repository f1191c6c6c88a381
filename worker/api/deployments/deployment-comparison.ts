/** Comparison of a deployment with an earlier one: changes, and the duration of each. */

import { z } from 'zod';
import { idSchema } from '../../../protocol/ids.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { deploymentResource } from '../../http/loaders/service-loaders.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { compareDeployments } from '../../usecases/deployments/compare-deployments.ts';
import { explainRemovedLog } from '../../usecases/deployments/end-log.ts';
import { deploymentSchema, presentDeployment } from '../present/present-deployment.ts';

const names = (what: string) =>
  z
    .array(z.string())
    .describe(what)
    .meta({ examples: [['LOG_LEVEL']] });
const nameChanges = z.object({
  added: names('Only the later one has them.'),
  changed: names('Both have them, otherwise.'),
  removed: names('Only the earlier one has them.'),
});
const seconds = (of: string) =>
  z
    .number()
    .nullable()
    .describe(`Seconds that it took in the ${of} one; null: it did not end, or its log was removed.`);
const value = (of: string) =>
  z.string().nullable().describe(`Value in the ${of} one, as text; null: it is not set.`);
const notStored = 'null: what one of them started with is not stored';

const comparisonSchema = z
  .object({
    before: deploymentSchema
      .nullable()
      .describe('The deployment that is compared with; null: none was live before.'),
    after: deploymentSchema.describe('The deployment.'),
    isSameImage: z
      .boolean()
      .describe('Whether both run the image of one build, as after a restart or rollback.'),
    settings: z
      .array(z.object({ name: z.string().meta(notes.name), before: value('earlier'), after: value('later') }))
      .nullable()
      .describe(`Settings with another value; ${notStored}.`),
    variables: nameChanges.nullable().describe(`Keys of variables, never their values; ${notStored}.`),
    files: nameChanges.nullable().describe(`Paths of mounted files; ${notStored}.`),
    phases: z
      .array(
        z.object({
          phase: z.string().describe('Name of the phase, in the order of the log.'),
          beforeSeconds: seconds('earlier'),
          afterSeconds: seconds('later'),
        }),
      )
      .describe('How long each phase took.'),
  })
  .describe('What differs.');

const compare = defineRoute({
  method: 'GET',
  path: '/api/deployments/:deploymentId/comparison',
  access: 'read',
  summary:
    'Compare the deployment with the one that was live last before it, or with `with`, another one of the service: commit, image, settings, names of variables, paths of files, times of phases.',
  resource: deploymentResource,
  query: z.strictObject({ with: idSchema('deployment').optional() }),
  reply: z.object({ comparison: comparisonSchema }),
  async handle({ deps, resource, query }) {
    await explainRemovedLog(deps, resource);
    const { before, after, ...compared } = await compareDeployments(deps, resource, query.with);
    return {
      comparison: {
        before: before && presentDeployment(before),
        after: presentDeployment(after),
        ...compared,
      },
    };
  },
});

export const comparisonRoutes: AnyRoute[] = [compare];
