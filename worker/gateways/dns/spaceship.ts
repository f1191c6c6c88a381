/** Spaceship's DNS: https://docs.spaceship.dev/ (domain list; DNS records: list, save, delete). */
import { z } from 'zod';
import type { DnsCredentials } from '../../domain/domains/dns-providers.ts';
import {
  type DnsAction,
  isTxt,
  nameBelow,
  planRecord,
  planTxt,
  type TxtRecord,
  zoneOf,
} from '../../domain/domains/dns-records.ts';
import { ApiError } from '../../domain/errors.ts';
import type { DnsAccount, DnsZone, NameToPoint } from './dns-provider.ts';
import { type Outside, ProviderHttp } from './provider-http.ts';

const domainsSchema = z.object({ items: z.array(z.object({ name: z.string() })), total: z.number() });
const recordsSchema = z.object({
  items: z.array(
    z.object({
      type: z.string(),
      name: z.string(),
      ttl: z.number().optional(),
      address: z.string().optional(),
      cname: z.string().optional(),
      aliasName: z.string().optional(),
      /** The text of a TXT record. */
      value: z.string().optional(),
      /** `custom`: created by the user. `product` and `personalNs` belong to a product and can't be changed here. */
      group: z.object({ type: z.string() }).optional(),
    }),
  ),
  total: z.number(),
});
type SpaceshipRecord = z.infer<typeof recordsSchema>['items'][number];

const refusalSchema = z.object({
  detail: z.string(),
  data: z.array(z.object({ field: z.string().optional(), details: z.string() })).default([]),
});

/** Maximum page sizes of the lists. */
const pageSizes = { domains: 100, records: 500 };
/** Limited because requests to other servers are (50 on the Workers Free plan): 2,000 domains, 10,000 records. */
const pagesMax = 20;

export class SpaceshipAccount implements DnsAccount {
  readonly #http: ProviderHttp;

  constructor(outside: Outside, { apiKey, apiSecret }: DnsCredentials['spaceship']) {
    this.#http = new ProviderHttp(outside, {
      name: 'Spaceship',
      baseUrl: 'https://spaceship.dev/api/v1',
      headers: { 'x-api-key': apiKey, 'x-api-secret': apiSecret },
      secrets: [apiKey, apiSecret],
      refusalIn,
    });
  }

  async verify(): Promise<void> {
    const { items } = await this.#http.get('/domains?take=1&skip=0', domainsSchema);
    const [domain] = items;
    if (!domain) throw new ApiError('provider_refused', 'This Spaceship account has no domain.');
    await this.#http.get(`${recordsPath(domain.name)}?take=1&skip=0`, recordsSchema);
  }

  async findZone(hostname: string): Promise<DnsZone | undefined> {
    const domains = await this.#all('/domains', pageSizes.domains, domainsSchema);
    const zone = zoneOf(hostname, domains);
    return zone && { id: zone.name, name: zone.name.toLowerCase(), isConfirmed: true };
  }

  async pointName(zone: DnsZone, { hostname, mayReplace, ...wanted }: NameToPoint): Promise<DnsAction> {
    const path = recordsPath(zone.id);
    const name = nameBelow(hostname, zone.name);
    const held = await this.#recordsOf(zone, name);
    const plan = planRecord(hostname, held, wanted, mayReplace);
    if (plan.action === 'unchanged') return plan.action;
    const before = plan.action === 'updated' ? plan.record : undefined;
    if (before) refuseForeign(hostname, before);
    const ttl = before?.ttl === undefined ? {} : { ttl: before.ttl };
    // Without `force`, Spaceship refuses a conflicting record instead of deleting the others.
    const saved = { type: wanted.type, name, address: wanted.address, ...ttl };
    await this.#http.send('PUT', path, { force: false, items: [saved] });
    if (before) await this.#removeOld(path, hostname, before);
    return plan.action;
  }

  async addTxt(zone: DnsZone, record: TxtRecord, beforeWrite: () => Promise<void>) {
    const name = nameBelow(record.name, zone.name);
    const action = planTxt(record, await this.#recordsOf(zone, name));
    if (action === 'unchanged') return action;
    await beforeWrite();
    const saved = { type: 'TXT', name, value: record.value };
    await this.#http.send('PUT', recordsPath(zone.id), { force: false, items: [saved] });
    return action;
  }

  async removeTxt(zone: DnsZone, record: TxtRecord): Promise<void> {
    const held = await this.#recordsOf(zone, nameBelow(record.name, zone.name));
    const own = held.filter((one) => isTxt(one, record.value));
    if (own.length === 0) return;
    const items = own.map(({ type, name, value }) => ({ type, name, value }));
    await this.#http.send('DELETE', recordsPath(zone.id), items);
  }

  /** @param name name relative to the zone */
  async #recordsOf({ id }: DnsZone, name: string): Promise<(SpaceshipRecord & { content: string })[]> {
    const items = await this.#all(recordsPath(id), pageSizes.records, recordsSchema);
    return items
      .filter((record) => record.name.toLowerCase() === name)
      .map((record) => ({ ...record, content: contentOf(record) }));
  }

  /** Deletes the old record after the new one exists: a record's identity includes its address, so a change creates a second one. */
  async #removeOld(path: string, hostname: string, { type, name, address }: SpaceshipRecord): Promise<void> {
    try {
      await this.#http.send('DELETE', path, [{ type, name, address }]);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      throw new ApiError(
        error.code,
        `${hostname} now has the new address, but also still has ${address}: remove that one at the provider. ${error.message}`,
        { cause: error },
      );
    }
  }

  /** Reads all pages of a list. */
  async #all<Item>(
    path: string,
    take: number,
    schema: z.ZodType<{ items: Item[]; total: number }>,
  ): Promise<Item[]> {
    const all: Item[] = [];
    for (let page = 0; page < pagesMax; page++) {
      const { items, total } = await this.#http.get(`${path}?take=${take}&skip=${page * take}`, schema);
      all.push(...items);
      if (items.length === 0 || all.length >= total) return all;
    }
    throw new ApiError(
      'provider_refused',
      `This Spaceship account has more than ${pagesMax * take} entries in ${path}.`,
    );
  }
}

function recordsPath(domain: string): string {
  return `/dns/records/${encodeURIComponent(domain)}`;
}

function contentOf({ address, cname, aliasName, value }: SpaceshipRecord): string {
  return address ?? cname ?? aliasName ?? value ?? '';
}

/** @throws ApiError `conflict` */
function refuseForeign(hostname: string, record: SpaceshipRecord): void {
  const group = record.group?.type ?? 'custom';
  if (group === 'custom') return;
  throw new ApiError(
    'conflict',
    `The ${record.type} record of ${hostname} belongs to a Spaceship product (group ${group}): disconnect the product there, then try again.`,
  );
}

function refusalIn(body: unknown): string | undefined {
  const refusal = refusalSchema.safeParse(body).data;
  if (!refusal) return undefined;
  const fields = refusal.data.map(({ field, details }) => (field ? `${field}: ${details}` : details));
  return [refusal.detail, ...fields].join('; ');
}
