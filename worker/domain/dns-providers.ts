/** The DNS providers that an operator can connect: names, and the credentials each one wants. */
import { z } from 'zod';

/** Travels in a header or a form field: visible ASCII, no line feed can be smuggled in. */
const credential = (description: string) =>
  z
    .string()
    .regex(/^[\x21-\x7e]{1,500}$/, 'must be 1 to 500 visible ASCII characters')
    .meta({ description });
/** `writeOnly` is JSON Schema's word for what is taken and never given back. */
const secret = (description: string) => credential(description).meta({ description, writeOnly: true });

export const dnsCredentialSchemas = {
  cloudflare: z.strictObject({
    apiToken: secret('API token with the permissions Zone:Read and DNS:Edit for the zones to be used.'),
  }),
  namecheap: z.strictObject({
    apiUser: credential('User name of the account, as under Profile > Tools > API Access.'),
    apiKey: secret('API key from Profile > Tools > API Access.'),
    userName: credential('Account to act for, where it is not that of apiUser.').optional(),
    runnerId: credential(
      'Host that calls Namecheap; its public IPv4 address must be on the allow-list there. Left out: the oldest connected host.',
    ).optional(),
    clientIp: z
      .ipv4('must be an IPv4 address')
      .meta({ description: 'Public IPv4 address of that host, where it is not what the host reports.' })
      .optional(),
  }),
  spaceship: z.strictObject({
    apiKey: secret('API key with the permissions domains:read, dnsrecords:read and dnsrecords:write.'),
    apiSecret: secret('Secret of that API key.'),
  }),
};

export type DnsProviderId = keyof typeof dnsCredentialSchemas;
export type DnsCredentials = { [Id in DnsProviderId]: z.infer<(typeof dnsCredentialSchemas)[Id]> };
/** A provider together with credentials of its own kind. */
export type DnsConnection<Id extends DnsProviderId = DnsProviderId> = {
  [One in Id]: { id: One; credentials: DnsCredentials[One] };
}[Id];

export const dnsProviderNames: Record<DnsProviderId, string> = {
  cloudflare: 'Cloudflare',
  namecheap: 'Namecheap',
  spaceship: 'Spaceship',
};

/** In the order in which they are listed. */
export const dnsProviderIds = Object.keys(dnsProviderNames) as [DnsProviderId, ...DnsProviderId[]];

const connectionOf = <Id extends DnsProviderId>(id: Id) =>
  z.strictObject({ id: z.literal(id), credentials: dnsCredentialSchemas[id] });

/** Provider and credentials as they are stored and opened again. */
export const dnsConnectionSchema: z.ZodType<DnsConnection> = z.discriminatedUnion('id', [
  connectionOf('cloudflare'),
  connectionOf('namecheap'),
  connectionOf('spaceship'),
]);

export interface CredentialField {
  name: string;
  required: boolean;
  /** Never shown again. */
  secret: boolean;
  description: string;
}

/** What a provider wants to be given. */
export function credentialFields(id: DnsProviderId): CredentialField[] {
  const fields: [string, z.ZodType][] = Object.entries(dnsCredentialSchemas[id].shape);
  return fields.map(([name, field]) => {
    const described = field instanceof z.ZodOptional ? (field.unwrap() as z.ZodType) : field;
    const { description = '', writeOnly } = described.meta() ?? {};
    return { name, required: described === field, secret: writeOnly === true, description };
  });
}
