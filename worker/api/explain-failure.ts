/** Explains failed deployments, crashes of the live version and failed commands, by built-in rules or by an AI provider. */
import { z } from 'zod';
import { commandTools } from '../domain/explanations/failure-rules/failure.ts';
import { aiProviderIdSchema } from '../domain/instance/ai-providers.ts';
import { isLogOld } from '../domain/logs/log-retention.ts';
import { deploymentResource, serviceResource } from '../http/resources.ts';
import { defineRoute } from '../http/route.ts';
import { runResource } from '../http/run-resource.ts';
import { explainRemovedLog } from '../usecases/deployments/end-forgotten-log.ts';
import { explainCrash, explainDeployment, explainRun } from '../usecases/explanations/explain-failures.ts';
import type { Commands } from '../usecases/explanations/explain-problem.ts';
import { endOrphanedRunLog } from '../usecases/runs/end-run.ts';

const body = z
  .strictObject({
    /** `builtin` or the id of a connected AI provider. Absent: the setting `defaultAiProviderId`, or else `builtin`. */
    providerId: aiProviderIdSchema.optional(),
    /** Absent: the provider's default. `builtin` has no models, so it accepts none. */
    model: z.string().trim().min(1).max(200).optional(),
    tool: z
      .enum(commandTools)
      .optional()
      .describe('What the commands call this API with: `longshore`, the command line; absent: `curl`.'),
  })
  .optional();

const reply = z.strictObject({
  explanation: z.strictObject({
    summary: z.string(),
    likelyCause: z.string(),
    suggestedFix: z.string(),
    /** Review before running: with an AI provider, a language model wrote them. */
    commands: z.array(z.string()),
  }),
  provider: z.strictObject({
    id: z.string(),
    model: z.string().nullable(),
    /** Why `builtin` answered instead of the requested provider; otherwise null. */
    fallbackReason: z.string().nullable(),
  }),
});

export const explainFailureRoute = defineRoute({
  method: 'POST',
  path: '/api/deployments/:deploymentId/explain-failure',
  access: 'write',
  summary: 'Explain why the deployment failed; 409 if it has not failed.',
  resource: deploymentResource,
  body,
  reply,
  async handle({ deps, resource, body: requested, request }) {
    await explainRemovedLog(deps, resource);
    return explainDeployment(deps, resource, requested ?? {}, commandsOf(requested, request));
  },
});

export const explainCrashRoute = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/explain-crash',
  access: 'write',
  summary:
    'Explain why the live version ended by itself, was stopped by its host, or fails the HEALTHCHECK of its image; 409 if it did none of these within the last hour.',
  resource: serviceResource,
  body,
  reply,
  handle: ({ deps, resource, body: requested, request }) =>
    explainCrash(deps, resource, requested ?? {}, commandsOf(requested, request)),
});

export const explainRunRoute = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/runs/:runId/explain-failure',
  access: 'write',
  summary:
    'Explain why the command failed, whether a client or a schedule started it; 409 if it has not failed.',
  resource: runResource,
  body,
  reply,
  async handle({ deps, resource, body: requested, request }) {
    const { run } = resource;
    if (isLogOld(run.finishedAt, deps.now())) await endOrphanedRunLog(deps, run.id);
    return explainRun(deps, resource, requested ?? {}, commandsOf(requested, request));
  },
});

const commandsOf = (requested: z.infer<typeof body>, request: Request): Commands => ({
  tool: requested?.tool ?? 'curl',
  apiUrl: new URL(request.url).origin,
});
