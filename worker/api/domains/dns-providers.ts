/** DNS providers of the instance, for the operator. Credentials are write-only. */

import { z } from 'zod';
import {
  credentialFields,
  credentialsNote,
  type DnsConnection,
  type DnsProviderId,
  dnsConnectionSchema,
  dnsCredentialSchemas,
  dnsProviderIds,
  dnsProviderNames,
} from '../../domain/domains/dns-providers.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { choiceText } from '../../http/issue-sentence.ts';
import { dnsProviderResource } from '../../http/loaders/operator-loaders.ts';
import { check } from '../../http/parse-request.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import {
  type DnsProviderRow,
  deleteDnsProvider,
  selectDnsProviders,
} from '../../store/domains/dns-provider-store.ts';
import { connectDnsProvider, readDnsConnection } from '../../usecases/domains/connect-dns-provider.ts';

const providerSchema = z.strictObject({
  id: z.enum(dnsProviderIds).describe('The provider.'),
  name: z.string().meta(notes.name),
  connected: z.boolean().meta(notes.connected),
  credentials: z
    .array(
      z.strictObject({
        name: z.string().meta(notes.name),
        required: z.boolean().describe('Whether the credential must be given.'),
        secret: z.boolean().describe('Whether it is a secret.'),
        description: z.string().describe('What it is, and where you get it.'),
      }),
    )
    .describe('The credentials that it requires or accepts.'),
  createdAt: timestampSchema.nullable().meta(notes.createdAt),
  updatedAt: timestampSchema.nullable().meta(notes.updatedAt),
});
const providerReply = z.strictObject({ provider: providerSchema });

const verifySchema = z
  .boolean()
  .default(true)
  .meta({ description: 'false: store the credentials without checking them with the provider.' });
const connectBodyOf = <Id extends DnsProviderId>(id: Id) =>
  z.strictObject({
    id: z.literal(id).describe('The provider.'),
    credentials: dnsCredentialSchemas[id],
    verify: verifySchema,
  });

const list = defineRoute({
  method: 'GET',
  path: '/api/system/dns-providers',
  access: 'operator',
  summary: 'List the DNS providers, whether each is connected, and the credentials each requires.',
  reply: z.strictObject({ providers: z.array(providerSchema) }),
  async handle({ deps }) {
    const rows = await selectDnsProviders(deps.db);
    return {
      providers: dnsProviderIds.map((id) =>
        presentProvider(
          id,
          rows.find((row) => row.id === id),
        ),
      ),
    };
  },
});

const connect = defineRoute({
  method: 'POST',
  path: '/api/system/dns-providers',
  access: 'operator',
  summary:
    'Connect a DNS provider or replace its credentials. They are checked with the provider first, unless "verify" is false.',
  body: z.discriminatedUnion(
    'id',
    [connectBodyOf('cloudflare'), connectBodyOf('namecheap'), connectBodyOf('spaceship')],
    {
      error: ({ code }) =>
        code === 'invalid_union' ? `must be ${choiceText(dnsProviderIds.map((id) => `"${id}"`))}` : undefined,
    },
  ),
  reply: providerReply,
  async handle({ deps, body }) {
    const { verify, ...connection } = body;
    const row = await connectDnsProvider(deps, connection, verify);
    return { provider: presentProvider(body.id, row) };
  },
});

const change = defineRoute({
  method: 'PATCH',
  path: '/api/system/dns-providers/:providerId',
  access: 'operator',
  summary: 'Change some of the credentials of a connected DNS provider; null removes an optional one.',
  resource: dnsProviderResource,
  body: z.strictObject({
    credentials: z
      .record(z.string(), z.string().nullable())
      .refine((fields) => Object.keys(fields).length > 0, 'is empty: give at least one credential to change')
      .describe(credentialsNote),
    verify: verifySchema,
  }),
  reply: providerReply,
  async handle({ deps, resource, body }) {
    const { id, credentials } = await readDnsConnection(deps, resource);
    const changed = Object.entries({ ...credentials, ...body.credentials });
    const given = Object.fromEntries(changed.filter(([, value]) => value !== null));
    const connection: DnsConnection = check(dnsConnectionSchema, { id, credentials: given }, 'field');
    const row = await connectDnsProvider(deps, connection, body.verify);
    return { provider: presentProvider(id, row) };
  },
});

const disconnect = defineRoute({
  method: 'DELETE',
  path: '/api/system/dns-providers/:providerId',
  access: 'operator',
  summary: 'Disconnect a DNS provider and delete its credentials; existing DNS records stay.',
  resource: dnsProviderResource,
  reply: z.strictObject({ ok: z.literal(true).meta(notes.ok) }),
  async handle({ deps, resource }) {
    await deleteDnsProvider(deps.db, resource.id);
    return { ok: true as const };
  },
});

export const dnsProviderRoutes: AnyRoute[] = [list, connect, change, disconnect];

function presentProvider(id: DnsProviderId, row: DnsProviderRow | undefined): z.infer<typeof providerSchema> {
  return {
    id,
    name: dnsProviderNames[id],
    connected: row !== undefined,
    credentials: credentialFields(id),
    createdAt: timestampOrNull(row?.createdAt ?? null),
    updatedAt: timestampOrNull(row?.updatedAt ?? null),
  };
}
