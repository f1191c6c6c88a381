/** The DNS providers that an operator can connect: their names and credentials. */

import { z } from 'zod';

/** Only visible ASCII, because it is sent in a header or form field: a line feed could inject another header. */
const credential = (description: string) =>
  z
    .string()
    .regex(/^[\x21-\x7e]{1,500}$/, 'must be 1 to 500 visible ASCII characters')
    .meta({ description });
/** `writeOnly` is JSON Schema's term for a value that is accepted but never returned. */
const secret = (description: string) => credential(description).meta({ description, writeOnly: true });

export const credentialsNote =
  'Credentials, by the names that the provider needs. Stored encrypted, never returned.';

export const dnsCredentialSchemas = {
  cloudflare: z
    .strictObject({
      apiToken: secret('API token with the permissions Zone:Read and DNS:Edit for the zones to use.'),
    })
    .describe(credentialsNote),
  namecheap: z
    .strictObject({
      apiUser: credential('User name of the account, from Profile > Tools > API Access.'),
      apiKey: secret('API key from Profile > Tools > API Access.'),
      userName: credential('Account to act for, if it is not the account of apiUser.').optional(),
      runnerId: credential(
        "Id of the host that calls Namecheap; its public IPv4 address must be on Namecheap's allow-list. Default: the oldest connected host.",
      ).optional(),
      clientIp: z
        .ipv4('must be an IPv4 address')
        .meta({ description: 'Public IPv4 address of that host, if it differs from what the host reports.' })
        .optional(),
    })
    .describe(credentialsNote),
  spaceship: z
    .strictObject({
      apiKey: secret('API key with the permissions domains:read, dnsrecords:read and dnsrecords:write.'),
      apiSecret: secret('Secret of that API key.'),
    })
    .describe(credentialsNote),
};

export type DnsProviderId = keyof typeof dnsCredentialSchemas;
export type DnsCredentials = { [Id in DnsProviderId]: z.infer<(typeof dnsCredentialSchemas)[Id]> };
/** A provider id with that provider's credentials. */
export type DnsConnection<Id extends DnsProviderId = DnsProviderId> = {
  [One in Id]: { id: One; credentials: DnsCredentials[One] };
}[Id];

export const dnsProviderNames: Record<DnsProviderId, string> = {
  cloudflare: 'Cloudflare',
  namecheap: 'Namecheap',
  spaceship: 'Spaceship',
};

/** Provider ids in display order. */
export const dnsProviderIds = Object.keys(dnsProviderNames) as [DnsProviderId, ...DnsProviderId[]];

const connectionOf = <Id extends DnsProviderId>(id: Id) =>
  z.strictObject({ id: z.literal(id), credentials: dnsCredentialSchemas[id] });

/** Provider and credentials, as stored in the sealed column. */
export const dnsConnectionSchema: z.ZodType<DnsConnection> = z.discriminatedUnion('id', [
  connectionOf('cloudflare'),
  connectionOf('namecheap'),
  connectionOf('spaceship'),
]);

export interface CredentialField {
  name: string;
  required: boolean;
  /** Secret fields are never returned. */
  secret: boolean;
  description: string;
}

/** The credentials that a provider requires or accepts. */
export function credentialFields(id: DnsProviderId): CredentialField[] {
  const fields: [string, z.ZodType][] = Object.entries(dnsCredentialSchemas[id].shape);
  return fields.map(([name, field]) => {
    const described = field instanceof z.ZodOptional ? (field.unwrap() as z.ZodType) : field;
    const { description = '', writeOnly } = described.meta() ?? {};
    return { name, required: described === field, secret: writeOnly === true, description };
  });
}
