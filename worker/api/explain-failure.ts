/** Explains why a deployment failed, by built-in rules or by an AI provider. */
import { z } from 'zod';
import { aiProviderIdSchema } from '../domain/ai-providers.ts';
import { deploymentResource } from '../http/resources.ts';
import { defineRoute } from '../http/route.ts';
import { explainRemovedLog } from '../usecases/deployments/end-forgotten-log.ts';
import { explainDeployment } from '../usecases/deployments/explain-deployment.ts';

export const explainFailureRoute = defineRoute({
  method: 'POST',
  path: '/api/deployments/:deploymentId/explain-failure',
  access: 'write',
  summary: 'Explain why the deployment failed; 409 if it has not failed.',
  resource: deploymentResource,
  body: z
    .strictObject({
      /** `builtin` or the id of a connected AI provider. Absent: the setting `defaultAiProviderId`, or else `builtin`. */
      providerId: aiProviderIdSchema.optional(),
      /** Absent: the provider's default. `builtin` has no models, so it accepts none. */
      model: z.string().trim().min(1).max(200).optional(),
    })
    .optional(),
  reply: z.strictObject({
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
  }),
  async handle({ deps, resource, body, request }) {
    await explainRemovedLog(deps, resource);
    return explainDeployment(deps, resource, body ?? {}, new URL(request.url).origin);
  },
});
