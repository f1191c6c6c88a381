/** Explains failed deployments, crashes of the live version and failed commands, by built-in rules or by an AI provider. */

import { z } from 'zod';
import { exampleTime, note } from '../../../protocol/note.ts';
import { includesLevel } from '../../domain/access/key-levels.ts';
import { ApiError } from '../../domain/errors.ts';
import { explanationActionSchema } from '../../domain/explanations/explanation-actions.ts';
import { commandTools } from '../../domain/explanations/failure-rules/failure.ts';
import { aiProviderIdSchema, builtinProviderId } from '../../domain/instance/ai-providers.ts';
import { isLogOld } from '../../domain/logs/log-retention.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { deploymentResource, runResource, serviceResource } from '../../http/loaders/service-loaders.ts';
import { defineRoute, keyOf, type Principal } from '../../http/route.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import { endOrphanedRunLog } from '../../usecases/commands/abort-run.ts';
import { explainRemovedLog } from '../../usecases/deployments/end-log.ts';
import { explainCrash, explainDeployment, explainRun } from '../../usecases/explanations/explain-failures.ts';
import type {
  Commands,
  ExplainedProblem,
  RequestedModel,
} from '../../usecases/explanations/explain-problem.ts';

const body = z
  .strictObject({
    /** `builtin` or the id of a connected AI provider. If absent: the setting `defaultAiProviderId`, or else `builtin`; for keys below `write` `builtin`. */
    providerId: aiProviderIdSchema.optional().meta(notes.providerId),
    /** If absent: the provider's default model. `builtin` has no models, so it accepts none. */
    model: z.string().trim().min(1).max(200).optional().meta(notes.model),
    tool: z
      .enum(commandTools)
      .optional()
      .describe('What the commands call this API with: `longshore`, the command line; absent: `curl`.'),
  })
  .optional();

const reply = z.strictObject({
  explanation: z
    .strictObject({
      summary: z.string().meta(notes.summary),
      likelyCause: z.string().meta(note('The most probable reason.', 'express is not in package.json.')),
      suggestedFix: z
        .string()
        .meta(note('What to change.', 'Run npm install express and commit package.json.')),
      /** To be reviewed before use: with an AI provider, a language model wrote them. */
      commands: z.array(z.string()).meta(note('Commands that help.', ['npm install express'])),
      actions: z
        .array(explanationActionSchema)
        .describe(
          'Those of the commands that the platform can do, as data for buttons; the last one applies the change. They are always from the built-in rules.',
        ),
      lines: z
        .array(
          z.strictObject({
            number: z
              .int()
              .nullable()
              .meta(note('Its id in the log; null for the last lines of a crash.', 117)),
            text: z.string().meta(note('The line, without colours.', "Cannot find module 'express'")),
            isError: z.boolean().meta(note('Whether this line says the error.', true)),
          }),
        )
        .describe('The ten lines around the error; empty if there is no log.'),
      serving: z
        .strictObject({
          deploymentId: z.string().meta(notes.deploymentId),
          commit: z.string().nullable().meta(note('Its commit; null: not from a repository.', '5f2b41c')),
          since: timestampSchema.meta(note('Since when it is live.', exampleTime)),
        })
        .nullable()
        .describe('The version that answers now; null: nothing does.'),
    })
    .describe('Why it failed and what to do.'),
  provider: z
    .strictObject({
      id: z.string().meta(note('Id of the AI provider; `builtin`: the built-in rules.', 'llm')),
      model: z.string().nullable().meta(notes.model),
      fallbackReason: z
        .string()
        .nullable()
        .describe('Why the rules answered in place of the model; null if they did not.'),
    })
    .describe('The source of the explanation: an AI provider, or the built-in rules.'),
  askable: z
    .string()
    .nullable()
    .meta(
      note(
        'Id of the AI provider that explains a request without `providerId`; null: none, or the key may not ask it.',
        'llm',
      ),
    ),
});

export const explainFailureRoute = defineRoute({
  method: 'POST',
  path: '/api/deployments/:deploymentId/explain-failure',
  access: 'read',
  summary: 'Explain why the deployment failed; 409 if it has not failed.',
  resource: deploymentResource,
  body,
  reply,
  async handle({ deps, resource, body: requested, request, principal }) {
    await explainRemovedLog(deps, resource);
    return shown(
      await explainDeployment(deps, resource, modelOf(requested, principal), commandsOf(requested, request)),
      principal,
    );
  },
});

export const explainCrashRoute = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/explain-crash',
  access: 'read',
  summary:
    'Explain why the live version ended by itself, was stopped by its host, or fails the HEALTHCHECK of its image; 409 if it did none of these within the last hour.',
  resource: serviceResource,
  body,
  reply,
  handle: async ({ deps, resource, body: requested, request, principal }) =>
    shown(
      await explainCrash(deps, resource, modelOf(requested, principal), commandsOf(requested, request)),
      principal,
    ),
});

export const explainRunRoute = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/runs/:runId/explain-failure',
  access: 'read',
  summary:
    'Explain why the command failed, whether a client or a schedule started it; 409 if it has not failed.',
  resource: runResource,
  body,
  reply,
  async handle({ deps, resource, body: requested, request, principal }) {
    const { run } = resource;
    if (isLogOld(run.finishedAt, deps.now())) await endOrphanedRunLog(deps, run.id);
    return shown(
      await explainRun(deps, resource, modelOf(requested, principal), commandsOf(requested, request)),
      principal,
    );
  },
});

const shown = (
  { explanation, provider, askable }: ExplainedProblem,
  principal: Principal,
): z.infer<typeof reply> => ({
  explanation: {
    ...explanation,
    serving: explanation.serving && {
      ...explanation.serving,
      since: timestamp(explanation.serving.since),
    },
  },
  provider,
  askable: mayAskModels(principal) ? askable : null,
});

const mayAskModels = (principal: Principal) => includesLevel(keyOf(principal).access, 'write');

const commandsOf = (requested: z.infer<typeof body>, request: Request): Commands => ({
  tool: requested?.tool ?? 'curl',
  apiUrl: new URL(request.url).origin,
});

/**
 * A language model costs money and gets a part of the log, so keys below `write` get the built-in rules.
 * @throws ApiError `forbidden` if such a key names a provider
 */
function modelOf(requested: z.infer<typeof body>, principal: Principal): RequestedModel {
  if (mayAskModels(principal)) return requested ?? {};
  const { providerId = builtinProviderId, model } = requested ?? {};
  if (providerId === builtinProviderId) return { providerId, model };
  throw new ApiError(
    'forbidden',
    `The field "providerId" names a language model, which needs a key with write access: leave it out, or use "${builtinProviderId}".`,
  );
}
