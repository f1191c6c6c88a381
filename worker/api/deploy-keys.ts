/** Deploy keys of services that read their repository by ssh: made here, so that a private key never has to be copied anywhere. */
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
    'Make a new SSH key for the repository, in place of the stored git token or key. Add its public part to the repository at the git host; PATCH "gitToken": null takes the key away.',
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
  summary: 'Read the public part of the SSH key for the repository; null while none is stored.',
  resource: serviceResource,
  reply: z.strictObject({ deployKey: deployKeySchema.nullable() }),
  async handle({ deps, resource }) {
    return { deployKey: await readDeployKey(deps, resource) };
  },
});

export const deployKeyRoutes: AnyRoute[] = [make, read];
