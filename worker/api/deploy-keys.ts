/** Deploy keys for repositories read over SSH. They are generated here, so no private key is ever copied by hand. */
import { z } from 'zod';
import { serviceResource } from '../http/resources.ts';
import { type AnyRoute, defineRoute } from '../http/route.ts';
import { makeDeployKey, readDeployKey } from '../usecases/services/deploy-key.ts';

const path = '/api/services/:serviceId/deploy-key';
const deployKeySchema = z.strictObject({ publicKey: z.string(), fingerprint: z.string() });

const make = defineRoute({
  method: 'POST',
  path,
  access: 'write',
  summary:
    'Create an SSH key for the repository; it replaces the stored git token or key. Add the public key to the repository at the git host. PATCH "gitToken": null removes the key.',
  resource: serviceResource,
  creates: {},
  reply: z.strictObject({ deployKey: deployKeySchema }),
  async handle({ deps, resource }) {
    return { deployKey: await makeDeployKey(deps, resource) };
  },
});

const read = defineRoute({
  method: 'GET',
  path,
  access: 'read',
  summary: 'Read the public SSH key of the repository; null if none is stored.',
  resource: serviceResource,
  reply: z.strictObject({ deployKey: deployKeySchema.nullable() }),
  async handle({ deps, resource }) {
    return { deployKey: await readDeployKey(deps, resource) };
  },
});

export const deployKeyRoutes: AnyRoute[] = [make, read];
