/** The route that explains why a deployment failed. */
import { z } from 'zod';
import { aiProviderIdSchema } from '../domain/ai-providers.ts';
import { deploymentResource } from '../http/resources.ts';
import { defineRoute } from '../http/route.ts';
import { explainDeployment } from '../usecases/deployments/explain-deployment.ts';

export const explainFailureRoute = defineRoute({
  method: 'POST',
  path: '/api/deployments/:deploymentId/explain-failure',
  access: 'write',
  summary: 'Explain why the deployment failed; 409 for one that has not.',
  resource: deploymentResource,
  body: z
    .strictObject({
      /** `builtin`, or a connected AI provider; absent: the setting `defaultAiProviderId`, else `builtin`. */
      providerId: aiProviderIdSchema.optional(),
      /** Absent: the provider's default. `builtin` has none and takes none. */
      model: z.string().trim().min(1).max(200).optional(),
    })
    .optional(),
  reply: z.strictObject({
    explanation: z.strictObject({
      summary: z.string(),
      likelyCause: z.string(),
      suggestedFix: z.string(),
      /** To be read before they are run; those of an AI provider are a model's words. */
      commands: z.array(z.string()),
    }),
    /** Who explained it. */
    provider: z.strictObject({
      id: z.string(),
      model: z.string().nullable(),
      /** Why `builtin` answered instead of the provider that was asked for; else null. */
      fallbackReason: z.string().nullable(),
    }),
  }),
  async handle({ deps, resource, body, request }) {
    return explainDeployment(deps, resource, body ?? {}, new URL(request.url).origin);
  },
});
