/**
 * Cloudflare's DNS: https://developers.cloudflare.com/api/resources/zones/methods/list and
 * https://developers.cloudflare.com/api/resources/dns/subresources/records/. Every answer is `{success, errors, messages, result}`.
 */
import { z } from 'zod';
import type { DnsCredentials } from '../../domain/domains/dns-providers.ts';
import {
  type DnsAction,
  isTxt,
  planRecord,
  planTxt,
  type TxtRecord,
  zoneCandidates,
} from '../../domain/domains/dns-records.ts';
import { ApiError } from '../../domain/errors.ts';
import type { DnsAccount, DnsZone, NameToPoint } from './dns-provider.ts';
import { type Outside, ProviderHttp } from './provider-http.ts';

const zonesSchema = z.object({
  result: z.array(z.object({ id: z.string(), name: z.string(), status: z.string().optional() })),
});
const recordsSchema = z.object({
  result: z.array(
    z.object({
      id: z.string(),
      type: z.string(),
      name: z.string(),
      content: z.string().default(''),
      ttl: z.number(),
      proxied: z.boolean().default(false),
    }),
  ),
});
type CloudflareRecord = z.infer<typeof recordsSchema>['result'][number];

const problemSchema = z.object({ message: z.string() });
const refusalSchema = z.object({
  errors: z.array(problemSchema.extend({ error_chain: z.array(problemSchema).default([]) })).min(1),
});

/** Cloudflare's value for "automatic". */
const automaticTtl = 1;
/** Far above the number of records that one name has. */
const recordsMax = 100;

export class CloudflareAccount implements DnsAccount {
  readonly #http: ProviderHttp;

  constructor(outside: Outside, { apiToken }: DnsCredentials['cloudflare']) {
    this.#http = new ProviderHttp(outside, {
      name: 'Cloudflare',
      baseUrl: 'https://api.cloudflare.com/client/v4',
      headers: { authorization: `Bearer ${apiToken}` },
      secrets: [apiToken],
      refusalIn,
    });
  }

  /** Reads zones, and records of one zone. Unlike Cloudflare's own "verify token", this also works with account tokens. */
  async verify(): Promise<void> {
    const { result } = await this.#http.get('/zones?per_page=5', zonesSchema);
    const [zone] = result;
    if (!zone) {
      throw new ApiError(
        'provider_refused',
        'This Cloudflare token has no access to any zone: give it the permissions Zone:Read and DNS:Edit for the zones to use.',
      );
    }
    await this.#http.get(`/zones/${encodeURIComponent(zone.id)}/dns_records?per_page=5`, recordsSchema);
  }

  /** Searches by name, longest first: two or three requests for any number of zones in the account. */
  async findZone(hostname: string): Promise<DnsZone | undefined> {
    for (const name of zoneCandidates(hostname)) {
      const { result } = await this.#http.get(`/zones?name=${encodeURIComponent(name)}`, zonesSchema);
      const zones = result.filter((zone) => asciiName(zone.name) === name);
      // A name can be a zone in two accounts at once; only one of them is active.
      const zone = zones.find(({ status }) => status === 'active') ?? zones[0];
      if (zone) return { id: zone.id, name, isConfirmed: zone.status === 'active' };
    }
    return undefined;
  }

  async pointName(zone: DnsZone, { hostname, mayReplace, ...wanted }: NameToPoint): Promise<DnsAction> {
    const path = recordsPath(zone);
    const held = await this.#recordsOf(zone, hostname);
    const plan = planRecord<CloudflareRecord>(hostname, held, wanted, mayReplace);
    const record = { type: wanted.type, name: hostname, content: wanted.address };
    if (plan.action === 'created') {
      await this.#http.send('POST', path, { ...record, ttl: automaticTtl, proxied: false });
    }
    if (plan.action === 'updated') {
      // Keeps the proxy setting, TTL, comment and tags, which a user may have chosen.
      const { id, ttl, proxied } = plan.record;
      await this.#http.send('PATCH', `${path}/${encodeURIComponent(id)}`, { ...record, ttl, proxied });
    }
    return plan.action;
  }

  async addTxt(zone: DnsZone, { name, value }: TxtRecord, beforeWrite: () => Promise<void>) {
    const action = planTxt({ name, value }, await this.#recordsOf(zone, name));
    if (action === 'unchanged') return action;
    await beforeWrite();
    const record = { type: 'TXT', name, content: JSON.stringify(value), ttl: automaticTtl };
    await this.#http.send('POST', recordsPath(zone), record);
    return action;
  }

  async removeTxt(zone: DnsZone, { name, value }: TxtRecord): Promise<void> {
    for (const record of await this.#recordsOf(zone, name)) {
      if (!isTxt(record, value)) continue;
      await this.#http.send('DELETE', `${recordsPath(zone)}/${encodeURIComponent(record.id)}`);
    }
  }

  /** The records with exactly this name. */
  async #recordsOf(zone: DnsZone, hostname: string): Promise<CloudflareRecord[]> {
    const query = `?name.exact=${encodeURIComponent(hostname)}&per_page=${recordsMax}`;
    const { result } = await this.#http.get(recordsPath(zone) + query, recordsSchema);
    return result.filter(({ name }) => asciiName(name) === hostname);
  }
}

const recordsPath = (zone: DnsZone) => `/zones/${encodeURIComponent(zone.id)}/dns_records`;

/** Names are in ASCII, or in Unicode for international zones. */
function asciiName(name: string): string {
  return URL.parse(`http://${name}`)?.hostname ?? name.toLowerCase();
}

function refusalIn(body: unknown): string | undefined {
  const [error] = refusalSchema.safeParse(body).data?.errors ?? [];
  return error && [error, ...error.error_chain].map(({ message }) => message).join(': ');
}
