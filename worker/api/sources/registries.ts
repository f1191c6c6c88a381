/** Logins at registries of container images: list, create, change, delete. */

import { z } from 'zod';
import { newRegistrySchema, registryPatchSchema } from '../../domain/sources/registries.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { registryResource } from '../../http/loaders/tenant-loaders.ts';
import { nextCursor, pageOf, pageQuery } from '../../http/paging.ts';
import { type AnyRoute, defineRoute, keyOf } from '../../http/route.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import {
  deleteRegistry,
  findRegistry,
  listRegistries,
  type RegistryRow,
} from '../../store/sources/registry-store.ts';
import { changeRegistry, createRegistry } from '../../usecases/sources/registries.ts';

const registrySchema = z.strictObject({
  id: idOf('registry'),
  /** Host of the registry, with its port; Docker Hub is `docker.io`. */
  host: z.string().meta(notes.host),
  username: z.string().meta(notes.username),
  createdAt: timestampSchema.meta(notes.createdAt),
  updatedAt: timestampSchema.meta(notes.updatedAt),
});
const registryReply = z.strictObject({ registry: registrySchema });

const list = defineRoute({
  method: 'GET',
  path: '/api/registries',
  access: 'read',
  onlyAllProjects: true,
  summary: 'List the registries for which a login is stored. Passwords are never shown.',
  query: pageQuery(500),
  reply: z.strictObject({
    registries: z.array(registrySchema).describe('The registries with a login, in the order of their hosts.'),
    ...nextCursor,
  }),
  async handle({ deps, principal, query }) {
    const found = await listRegistries(deps.db, keyOf(principal).tenantId, query);
    const { rows, next } = pageOf(found, query, ({ host, id }) => ({ at: host, id }));
    return { registries: rows.map(presentRegistry), ...next };
  },
});

const create = defineRoute({
  method: 'POST',
  path: '/api/registries',
  access: 'write',
  onlyAllProjects: true,
  summary:
    'Store a login for a registry: deployments use it for every image whose name begins with the host.',
  body: newRegistrySchema,
  creates: {
    kind: 'registry',
    async find({ deps }, id) {
      const row = await findRegistry(deps.db, id);
      return row && { registry: presentRegistry(row) };
    },
  },
  reply: registryReply,
  async handle({ deps, principal, body }) {
    return { registry: presentRegistry(await createRegistry(deps, keyOf(principal).tenantId, body)) };
  },
});

const change = defineRoute({
  method: 'PATCH',
  path: '/api/registries/:registryId',
  access: 'write',
  summary: 'Change the login for a registry. Omitted fields keep their values.',
  resource: registryResource,
  body: registryPatchSchema,
  reply: registryReply,
  async handle({ deps, resource, body }) {
    return { registry: presentRegistry(await changeRegistry(deps, resource.registry, body)) };
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path: '/api/registries/:registryId',
  access: 'write',
  summary: 'Delete the login for a registry. Running versions and rollbacks to stored images do not need it.',
  resource: registryResource,
  reply: z.strictObject({ ok: z.literal(true).meta(notes.ok) }),
  async handle({ deps, resource }) {
    await deleteRegistry(deps.db, resource.registry.id);
    return { ok: true as const };
  },
});

export const registryRoutes: AnyRoute[] = [list, create, change, remove];

const presentRegistry = ({
  id,
  host,
  username,
  createdAt,
  updatedAt,
}: RegistryRow): z.infer<typeof registrySchema> => ({
  ...{ id, host, username },
  createdAt: timestamp(createdAt),
  updatedAt: timestamp(updatedAt),
});
