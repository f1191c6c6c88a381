/** The public resolvers over HTTPS, with TXT records that a test sets. The formats are from the services' documentation. */

interface ZoneRecord {
  type: 'TXT' | 'CNAME';
  data: string;
}

const types = { TXT: 16, CNAME: 5 };
const nameError = 3;

export class DohServer {
  readonly #records = new Map<string, ZoneRecord[]>();
  /** DNS status by name, such as 2 for SERVFAIL. */
  readonly statuses = new Map<string, number>();
  /** Hosts that do not answer. */
  readonly down = new Set<string>();
  /** `<host> <name>` of each request. */
  readonly asked: string[] = [];

  /** Replaces the TXT records of a name. */
  set(name: string, ...values: string[]): void {
    this.#records.set(
      name,
      values.map((data) => ({ type: 'TXT', data })),
    );
  }

  alias(name: string, target: string): void {
    this.#records.set(name, [{ type: 'CNAME', data: target }]);
  }

  readonly fetch = async (request: Request): Promise<Response> => {
    const { host, searchParams } = new URL(request.url);
    const name = searchParams.get('name') ?? '';
    this.asked.push(`${host} ${name}`);
    if (this.down.has(host)) throw new TypeError('connection refused');
    if (request.headers.get('accept') !== 'application/dns-json') return new Response(null, { status: 400 });
    const Answer = [...this.#answers(name, host)];
    const isKnown = this.#records.has(name);
    const Status = this.statuses.get(name) ?? (isKnown ? 0 : nameError);
    return Response.json({ Status, TC: false, RD: true, RA: true, ...(Answer.length > 0 ? { Answer } : {}) });
  };

  *#answers(name: string, host: string): Generator<object> {
    for (const { type, data } of this.#records.get(name) ?? []) {
      const text = type === 'TXT' && host === 'cloudflare-dns.com' ? JSON.stringify(data) : data;
      yield { name: host === 'dns.google' ? `${name}.` : name, type: types[type], TTL: 60, data: text };
      if (type === 'CNAME') yield* this.#answers(data, host);
    }
  }
}
