/** Identity providers of the instance, for the operator. The client secret is write-only. */

import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import {
  callbackPathOf,
  emailDomainsSchema,
  identityProviderIdSchema,
  identityProviderKinds,
  joiningRoles,
} from '../../domain/access/identity-providers.ts';
import { defaultTenantId } from '../../domain/tenants/tenant-limits.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { nameSchema } from '../../domain/values/name.ts';
import { identityProviderResource } from '../../http/loaders/operator-loaders.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { originOf } from '../../http/sessions/session-cookie.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import {
  deleteIdentityProvider,
  type IdentityProviderRow,
  selectIdentityProviders,
} from '../../store/access/identity-provider-store.ts';
import {
  changeIdentityProvider,
  connectIdentityProvider,
  joiningOf,
  testIdentityProvider,
} from '../../usecases/access/change-providers.ts';
import { keyProjectsSchema } from '../present/present-key.ts';

const path = '/api/system/identity-providers';

const joiningSchema = z.strictObject({
  role: z.enum(joiningRoles).meta(notes.role),
  projects: keyProjectsSchema.default('all').meta(notes.memberProjects),
});
/** Printable characters: both are sent in headers. */
const printable = z
  .string()
  .regex(/^[\x21-\x7e]{1,500}$/, 'must be 1 to 500 printable characters without spaces');

const fields = {
  name: nameSchema.describe('As the sign-in page shows it.'),
  issuer: z
    .string()
    .max(500)
    .describe(
      'URL of the provider, below which is /.well-known/openid-configuration; of Cloudflare Access the address of the team.',
    ),
  clientId: printable.describe('Of Cloudflare Access: the audience (AUD) tag of the application.'),
  clientSecret: printable
    .nullable()
    .describe('Null: a public client, or Cloudflare Access. Stored encrypted, never returned.'),
  emailDomains: emailDomainsSchema.describe(
    'Domains of addresses by which people are recognised at first; empty: any.',
  ),
  trustsEmail: z
    .boolean()
    .describe(
      'Takes each address as verified, for a provider that does not send "email_verified" and lets nobody choose an address.',
    ),
  newMembers: joiningSchema
    .nullable()
    .describe('What people get who sign in without an invitation; null: they are refused.'),
  enabled: z.boolean().meta(notes.enabled),
  ownCallback: z
    .boolean()
    .describe(
      'Whether `redirectUri` is an address of this provider only, which protects against answers of another one. False for providers that were connected before there was one: register `ownRedirectUri` at the provider, then set it to true.',
    ),
};

const { clientSecret: _secret, emailDomains, newMembers, ...shown } = fields;
const providerSchema = z.strictObject({
  ...shown,
  emailDomains: z.array(z.string()).describe(emailDomains.description ?? ''),
  newMembers: z
    .strictObject({
      role: z.enum(joiningRoles).meta(notes.role),
      projects: z.union([z.literal('all'), z.array(z.string())]).meta(notes.memberProjects),
    })
    .nullable()
    .describe(newMembers.description ?? ''),
  id: z.string().describe('Id of the provider.'),
  kind: z.enum(identityProviderKinds).meta(notes.kind),
  tenantId: z.string().meta(notes.tenantId),
  redirectUri: z
    .string()
    .nullable()
    .describe('To be registered at the provider. Null: Cloudflare Access needs none.'),
  ownRedirectUri: z
    .string()
    .nullable()
    .describe('What `redirectUri` becomes with `ownCallback`; null if it is that.'),
  createdAt: timestampSchema.meta(notes.createdAt),
  updatedAt: timestampSchema.meta(notes.updatedAt),
});
const providerReply = z.strictObject({ provider: providerSchema });

const list = defineRoute({
  method: 'GET',
  path,
  access: 'operator',
  summary: 'List the identity providers, in order of connection.',
  reply: z.strictObject({ providers: z.array(providerSchema) }),
  async handle({ deps, request }) {
    return { providers: (await selectIdentityProviders(deps.db)).map((row) => present(row, request)) };
  },
});

const connect = defineRoute({
  method: 'POST',
  path,
  access: 'operator',
  summary:
    'Connect an identity provider where members of a tenant can sign in: OpenID Connect, or Cloudflare Access.',
  body: z.strictObject({
    ...fields,
    id: identityProviderIdSchema.meta(note('Id of the provider, chosen by you.', 'company')),
    kind: z.enum(identityProviderKinds).meta(notes.kind),
    tenantId: z.string().max(64).default(defaultTenantId).meta(notes.tenantId),
    clientSecret: fields.clientSecret.default(null),
    emailDomains: fields.emailDomains.default([]),
    trustsEmail: fields.trustsEmail.default(false),
    newMembers: fields.newMembers.default(null),
    enabled: fields.enabled.default(true),
    ownCallback: fields.ownCallback.default(true),
  }),
  creates: {},
  reply: providerReply,
  async handle({ deps, body, request }) {
    return { provider: present(await connectIdentityProvider(deps, body), request) };
  },
});

const change = defineRoute({
  method: 'PATCH',
  path: `${path}/:identityProviderId`,
  access: 'operator',
  summary: 'Change an identity provider; omitted fields keep their values.',
  resource: identityProviderResource,
  body: z
    .strictObject(fields)
    .partial()
    .refine((body) => Object.keys(body).length > 0, 'is empty: name at least one field to change'),
  reply: providerReply,
  async handle({ deps, resource, body, request }) {
    return { provider: present(await changeIdentityProvider(deps, resource.provider, body), request) };
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path: `${path}/:identityProviderId`,
  access: 'operator',
  summary: 'Remove an identity provider. Members stay, and their open sessions too.',
  resource: identityProviderResource,
  reply: z.strictObject({ ok: z.literal(true).meta(notes.ok) }),
  async handle({ deps, resource }) {
    await deleteIdentityProvider(deps.db, resource.provider.id);
    return { ok: true as const };
  },
});

const tryOut = defineRoute({
  method: 'POST',
  path: `${path}/:identityProviderId/test`,
  access: 'operator',
  summary: 'Test an identity provider: its metadata, its keys and the credentials of this client.',
  resource: identityProviderResource,
  reply: z.strictObject({
    result: z.strictObject({
      ok: z.boolean().describe('Whether it succeeded.'),
      checks: z
        .array(
          z.strictObject({
            field: z
              .enum(['issuer', 'clientId', 'clientSecret'])
              .describe('The field to correct if it is not ok.'),
            ok: z.boolean().describe('Whether it succeeded.'),
            detail: z.string().meta(notes.detail),
          }),
        )
        .describe('What was tried, in order.'),
    }),
  }),
  async handle({ deps, resource, request }) {
    const checks = await testIdentityProvider(deps, resource.provider, originOf(request));
    return { result: { ok: checks.every(({ ok }) => ok), checks } };
  },
});

export const identityProviderRoutes: AnyRoute[] = [list, connect, change, remove, tryOut];

function present(row: IdentityProviderRow, request: Request): z.infer<typeof providerSchema> {
  const { id, kind, tenantId, name, issuer, clientId, emailDomains, trustsEmail, enabled, ownCallback } = row;
  const addressOf = (isOwn: boolean) => originOf(request) + callbackPathOf({ id, ownCallback: isOwn });
  return {
    ...{
      id,
      kind,
      tenantId,
      name,
      issuer,
      clientId,
      emailDomains,
      trustsEmail,
      newMembers: joiningOf(row),
      enabled,
      ownCallback,
    },
    redirectUri: kind === 'oidc' ? addressOf(ownCallback) : null,
    ownRedirectUri: kind === 'oidc' && !ownCallback ? addressOf(true) : null,
    createdAt: timestamp(row.createdAt),
    updatedAt: timestamp(row.updatedAt),
  };
}
