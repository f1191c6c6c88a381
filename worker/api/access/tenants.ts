/** Tenants and their quotas, for the operator. */

import { z } from 'zod';
import { exampleTime, note } from '../../../protocol/note.ts';
import { type QuotaName, quotaNames, quotasSchema, usedQuotaNames } from '../../domain/tenants/quotas.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { nameSchema } from '../../domain/values/name.ts';
import { tenantResource } from '../../http/loaders/operator-loaders.ts';
import { nextCursor, pageOf, pageQuery, placeByCreation } from '../../http/paging.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import type { TenantView } from '../../store/projects/tenant-store.ts';
import {
  changeTenant,
  createTenant,
  deleteTenant,
  findTenant,
  listTenants,
} from '../../usecases/access/tenants.ts';
import {
  type DataKeyStatus,
  readDataKeyStatus,
  renewDataKeys,
} from '../../usecases/instance/renew-data-keys.ts';

/** Description of a quota for the API reference. */
const noteOf = (name: QuotaName) => {
  const field = quotasSchema.shape[name];
  return field.meta() ?? field.unwrap().meta() ?? {};
};

const tenantSchema = z.strictObject({
  id: idOf('tenant'),
  name: z.string().meta(notes.name),
  /** `null`: no limit, or the limit of the setting `tenantLimits`, which does not apply to the default tenant. */
  quotas: z
    .strictObject(forEach(quotaNames, (name) => z.number().nullable().meta(noteOf(name))))
    .meta(notes.quotas),
  usage: z
    .strictObject(forEach(usedQuotaNames, (name) => z.int().meta(noteOf(name))))
    .describe('Current usage, and that of today, per quota.'),
  createdAt: timestampSchema.meta(notes.createdAt),
});
const tenantReply = z.strictObject({ tenant: tenantSchema });

const list = defineRoute({
  method: 'GET',
  path: '/api/system/tenants',
  access: 'operator',
  summary: 'List the tenants with their quotas and usage.',
  query: pageQuery(1_000),
  reply: z.strictObject({ tenants: z.array(tenantSchema), ...nextCursor }),
  async handle({ deps, query }) {
    const { rows, next } = pageOf(await listTenants(deps, query), query, ({ tenant }) =>
      placeByCreation(tenant),
    );
    return { tenants: rows.map(presentTenant), ...next };
  },
});

const create = defineRoute({
  method: 'POST',
  path: '/api/system/tenants',
  access: 'operator',
  summary:
    'Create a tenant. An omitted or null quota means no limit, or that of the setting `tenantLimits` where it has one; `projects`, `services`, `domains`, `keptDeletions` and `keptDeletionBytes` have a default if they are omitted.',
  body: z.strictObject({ name: nameSchema, quotas: quotasSchema.default({}).meta(notes.quotas) }),
  creates: {
    kind: 'tenant',
    async find({ deps }, id) {
      const view = await findTenant(deps, id);
      return view && { tenant: presentTenant(view) };
    },
  },
  reply: tenantReply,
  async handle({ deps, body }) {
    return { tenant: presentTenant(await createTenant(deps, body)) };
  },
});

const change = defineRoute({
  method: 'PATCH',
  path: '/api/system/tenants/:tenantId',
  access: 'operator',
  summary:
    'Rename a tenant or change its quotas. An omitted quota keeps its value, null removes it. Usage above a new limit stays.',
  resource: tenantResource,
  body: z
    .strictObject({ name: nameSchema.optional(), quotas: quotasSchema.optional().meta(notes.quotas) })
    .refine((body) => Object.keys(body).length > 0, 'is empty: give at least one field to change'),
  reply: tenantReply,
  async handle({ deps, resource, body }) {
    return { tenant: presentTenant(await changeTenant(deps, resource, body)) };
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path: '/api/system/tenants/:tenantId',
  access: 'operator',
  summary: 'Delete a tenant; 409 while it has projects, keys or hosts.',
  resource: tenantResource,
  reply: z.strictObject({ ok: z.literal(true).meta(notes.ok) }),
  async handle({ deps, resource }) {
    await deleteTenant(deps, resource.tenant);
    return { ok: true as const };
  },
});

const dataKeysReply = z.strictObject({
  dataKeys: z
    .strictObject({
      projects: z.int().describe('Projects of the tenant, deleted ones that are kept included.'),
      projectsInProgress: z.int().meta(note('Projects whose data key is being renewed.', 0)),
      rowsToReseal: z.int().meta(notes.rowsToReseal),
      oldestKeyMadeAt: timestampSchema
        .nullable()
        .meta(note('When the oldest data key was made.', exampleTime)),
    })
    .describe('State of the data keys.'),
});

const readDataKeys = defineRoute({
  method: 'GET',
  path: '/api/system/tenants/:tenantId/data-keys',
  access: 'operator',
  summary:
    "Show how old the data keys of a tenant's projects are, and how many rows still have to be sealed with new ones.",
  resource: tenantResource,
  reply: dataKeysReply,
  async handle({ deps, resource }) {
    return { dataKeys: presentDataKeys(await readDataKeyStatus(deps, resource.tenant.id)) };
  },
});

const renew = defineRoute({
  method: 'POST',
  path: '/api/system/tenants/:tenantId/data-keys',
  access: 'operator',
  summary:
    'Make new data keys for all projects of a tenant. Their secrets are sealed with them in the minutes after; nothing is deployed again.',
  resource: tenantResource,
  reply: dataKeysReply,
  async handle({ deps, resource }) {
    return { dataKeys: presentDataKeys(await renewDataKeys(deps, resource.tenant)) };
  },
});

export const tenantRoutes: AnyRoute[] = [list, create, change, remove, readDataKeys, renew];

const presentDataKeys = ({ oldestKeyMadeAt, ...counts }: DataKeyStatus) => ({
  ...counts,
  oldestKeyMadeAt: timestampOrNull(oldestKeyMadeAt),
});

function presentTenant({ tenant, usage }: TenantView): z.infer<typeof tenantSchema> {
  const { id, name, quotas, createdAt } = tenant;
  return {
    id,
    name,
    quotas: forEach(quotaNames, (quota) => quotas[quota] ?? null),
    usage: forEach(usedQuotaNames, (quota) => usage[quota]),
    createdAt: timestamp(createdAt),
  };
}

function forEach<Name extends string, Value>(names: readonly Name[], of: (name: Name) => Value) {
  return Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Name, Value>;
}
