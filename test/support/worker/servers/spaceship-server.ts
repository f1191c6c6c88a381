/** Spaceship's API as its documentation shows it (https://docs.spaceship.dev/: domain list, DNS records). */

export interface SpaceshipRecord {
  type: string;
  name: string;
  ttl?: number;
  address?: string;
  cname?: string;
  value?: string;
  group: { type: 'custom' | 'product' | 'personalNs' };
}

export const spaceshipKey = 'ss-key-canary';
export const spaceshipSecret = 'ss-secret-canary';

export class SpaceshipServer {
  /** Records by domain. */
  readonly domains = new Map<string, SpaceshipRecord[]>();
  readonly requests: string[] = [];

  addDomain(name: string, ...records: (Omit<SpaceshipRecord, 'group'> & Partial<SpaceshipRecord>)[]): void {
    this.domains.set(
      name,
      records.map((record) => ({ group: { type: 'custom' }, ttl: 1800, ...record })),
    );
  }

  readonly fetch = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const path = url.pathname.replace('/api/v1', '');
    this.requests.push(`${request.method} ${path}${url.search}`);
    if (url.origin !== 'https://spaceship.dev') throw new TypeError(`no such host: ${url.origin}`);
    if (
      request.headers.get('x-api-key') !== spaceshipKey ||
      request.headers.get('x-api-secret') !== spaceshipSecret
    ) {
      return Response.json({ detail: 'Authentication failed' }, { status: 401 });
    }
    if (path === '/domains') return this.#listDomains(url.searchParams);
    const domain = decodeURIComponent(path.replace('/dns/records/', ''));
    const records = this.domains.get(domain);
    if (!records) return Response.json({ detail: `Domain ${domain} not found` }, { status: 404 });
    if (request.method === 'GET') return page(records, url.searchParams, 500);
    return request.method === 'PUT'
      ? this.#save(records, await request.json())
      : this.#delete(domain, await request.json());
  };

  #listDomains(query: URLSearchParams): Response {
    const items = [...this.domains.keys()].map((name) => ({
      name,
      unicodeName: name,
      isPremium: false,
      autoRenew: false,
      lifecycleStatus: 'registered',
      nameservers: { provider: 'basic', hosts: ['launch1.spaceship.net'] },
    }));
    return page(items, query, 100);
  }

  /** Adds new records by type, name and content, and changes existing ones. Without `force`, an alias next to other records is refused. */
  #save(records: SpaceshipRecord[], body: { force?: boolean; items: SpaceshipRecord[] }): Response {
    for (const item of body.items) {
      const data: { field: string; details: string }[] = [];
      if (item.ttl !== undefined && (item.ttl < 60 || item.ttl > 3600)) {
        data.push({ field: 'items[0].ttl', details: 'must be from 60 to 3600' });
      }
      if (!body.force && records.some(({ name, type }) => name === item.name && type === 'CNAME')) {
        data.push({ field: 'items[0].name', details: 'conflicts with a CNAME record' });
      }
      if (data.length > 0) return Response.json({ detail: 'Validation failed', data }, { status: 422 });
      const known = records.find((record) => isSame(record, item));
      if (known) Object.assign(known, item);
      else records.push({ ...item, group: { type: 'custom' } });
    }
    return new Response(null, { status: 204 });
  }

  #delete(domain: string, items: SpaceshipRecord[]): Response {
    const records = this.domains.get(domain) ?? [];
    this.domains.set(
      domain,
      records.filter((record) => !items.some((item) => isSame(record, item))),
    );
    return new Response(null, { status: 204 });
  }
}

function isSame(one: SpaceshipRecord, other: SpaceshipRecord): boolean {
  return (
    one.type === other.type &&
    one.name === other.name &&
    one.address === other.address &&
    one.value === other.value
  );
}

function page(items: object[], query: URLSearchParams, takeMax: number): Response {
  const take = Number(query.get('take') ?? 0);
  const skip = Number(query.get('skip') ?? -1);
  if (take < 1 || take > takeMax || skip < 0) {
    return Response.json(
      { detail: 'Validation failed', data: [{ field: 'take', details: 'is required' }] },
      { status: 400 },
    );
  }
  return Response.json({ items: items.slice(skip, skip + take), total: items.length });
}
