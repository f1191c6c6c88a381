/**
 * Cloudflare's API as its documentation shows it (zones and DNS records of https://developers.cloudflare.com/api/): requests are checked
 * strictly, answers have the same fields.
 */

export interface CloudflareZone {
  id: string;
  name: string;
  status: 'active' | 'pending';
}

export interface CloudflareRecord {
  id: string;
  zoneId: string;
  type: string;
  name: string;
  content: string;
  ttl: number;
  proxied: boolean;
  comment: string | null;
}

export const cloudflareToken = 'cf-token-8aRr4-canary';

export class CloudflareServer {
  zones: CloudflareZone[] = [];
  records: CloudflareRecord[] = [];
  /** Requests like `GET /zones?name=...`, in the order of arrival. */
  readonly requests: string[] = [];
  #ids = 0;

  addZone(name: string, status: CloudflareZone['status'] = 'active'): CloudflareZone {
    const zone = { id: this.#id(), name, status };
    this.zones.push(zone);
    return zone;
  }

  addRecord(zone: CloudflareZone, fields: Partial<CloudflareRecord>): CloudflareRecord {
    const record = {
      id: this.#id(),
      zoneId: zone.id,
      type: 'A',
      name: zone.name,
      content: '198.51.100.1',
      ttl: 300,
      proxied: false,
      comment: null,
      ...fields,
    };
    this.records.push(record);
    return record;
  }

  readonly fetch = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const path = url.pathname.replace('/client/v4', '');
    this.requests.push(`${request.method} ${path}${url.search}`);
    if (url.origin !== 'https://api.cloudflare.com') throw new TypeError(`no such host: ${url.origin}`);
    if (request.headers.get('authorization') !== `Bearer ${cloudflareToken}`) {
      return problem(403, 9109, 'Invalid access token');
    }
    const [, , zoneId, collection, recordId] = path.split('/');
    if (zoneId === undefined) return this.#listZones(url.searchParams);
    const zone = this.zones.find(({ id }) => id === zoneId);
    if (!zone || collection !== 'dns_records') {
      return problem(404, 7003, 'Could not route to the request, perhaps your object identifier is invalid?');
    }
    if (request.method === 'GET') return this.#listRecords(zone, url.searchParams);
    if (request.method === 'DELETE') return this.#delete(recordId);
    const body = (await request.json()) as Partial<CloudflareRecord>;
    return request.method === 'POST'
      ? this.#create(zone, body)
      : this.#patch(
          this.records.find(({ id }) => id === recordId),
          body,
        );
  };

  #listZones(query: URLSearchParams): Response {
    const name = query.get('name');
    const found = this.zones.filter((zone) => name === null || zone.name === name);
    return list(found.map((zone) => ({ ...zone, paused: false, type: 'full', name_servers: [] })));
  }

  #listRecords(zone: CloudflareZone, query: URLSearchParams): Response {
    const name = query.get('name.exact');
    const held = this.records.filter(
      (record) => record.zoneId === zone.id && (name === null || record.name === name),
    );
    return list(held.map(shown));
  }

  #create(zone: CloudflareZone, body: Partial<CloudflareRecord>): Response {
    const { type = '', name = '', content = '', ttl = 0, proxied = false } = body;
    if (type === 'TXT' && !/^"[^"]*"$/.test(content)) {
      return problem(400, 9999, 'The content of a TXT record must consist of quoted strings.');
    }
    const clash = this.records.find((record) => record.zoneId === zone.id && record.name === name);
    if (clash && (clash.type === 'CNAME' || type === 'CNAME')) {
      return problem(400, 81053, 'An A, AAAA, or CNAME record with that host already exists.');
    }
    return one(shown(this.addRecord(zone, { type, name, content, ttl, proxied })));
  }

  #patch(record: CloudflareRecord | undefined, body: Partial<CloudflareRecord>): Response {
    if (!record) return problem(404, 81044, 'Record does not exist.');
    Object.assign(record, body);
    return one(shown(record));
  }

  #delete(recordId: string | undefined): Response {
    const record = this.records.find(({ id }) => id === recordId);
    if (!record) return problem(404, 81044, 'Record does not exist.');
    this.records = this.records.filter((one) => one !== record);
    return one({ id: record.id });
  }

  #id(): string {
    return (++this.#ids).toString(16).padStart(32, '0');
  }
}

const shown = ({ zoneId: _, ...record }: CloudflareRecord) => ({
  ...record,
  proxiable: true,
  settings: {},
  meta: {},
  tags: [],
  created_on: '2026-01-01T05:20:00.12345Z',
  modified_on: '2026-01-01T05:20:00.12345Z',
});

function list(result: object[]): Response {
  const result_info = {
    page: 1,
    per_page: 100,
    count: result.length,
    total_count: result.length,
    total_pages: 1,
  };
  return Response.json({ success: true, errors: [], messages: [], result, result_info });
}

function one(result: object): Response {
  return Response.json({ success: true, errors: [], messages: [], result });
}

function problem(status: number, code: number, message: string): Response {
  return Response.json(
    { success: false, errors: [{ code, message }], messages: [], result: null },
    { status },
  );
}
