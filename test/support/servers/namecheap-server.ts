/**
 * Namecheap's API on a local port, as its documentation shows it (https://www.namecheap.com/support/api/methods/): form fields in, XML
 * out, and a setHosts that removes all records that it does not receive.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface NamecheapHost {
  Name: string;
  Type: string;
  Address: string;
  MXPref: string;
  TTL: string;
}

export interface NamecheapDomain {
  name: string;
  emailType: string;
  isOurDns: boolean;
  hosts: NamecheapHost[];
}

export const namecheapKey = 'nc-key-canary';

/** The answer that is sent instead of the real one. */
type Answer = { status?: number; body: string } | 'silence';

export class NamecheapServer {
  domains: NamecheapDomain[] = [];
  /** Command and fields of each request. */
  readonly requests: URLSearchParams[] = [];
  /** Paths with their query, as in a proxy's log. */
  readonly urls: string[] = [];
  readonly #answers: ((fields: URLSearchParams) => Answer | undefined)[] = [];
  readonly #server: Server;

  static async start(): Promise<NamecheapServer> {
    const server = new NamecheapServer();
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  private constructor() {
    this.#server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += String(chunk);
      });
      request.on('end', () => {
        this.urls.push(request.url ?? '');
        const answer = this.#answer(new URLSearchParams(body));
        if (answer === 'silence') return;
        response.writeHead(answer.status ?? 200, { 'content-type': 'text/xml; charset=utf-8' });
        response.end(answer.body);
      });
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/xml.response`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  addDomain(
    name: string,
    hosts: Partial<NamecheapHost>[] = [],
    more: Partial<NamecheapDomain> = {},
  ): NamecheapDomain {
    const defaults = { Name: '@', Type: 'A', Address: '198.51.100.1', MXPref: '10', TTL: '1799' };
    const domain = {
      name,
      emailType: 'NONE',
      isOurDns: true,
      hosts: hosts.map((host) => ({ ...defaults, ...host })),
      ...more,
    };
    this.domains.push(domain);
    return domain;
  }

  /** Sets the answer to the next request of this command. */
  answerNext(command: string, answer: Answer): void {
    const once = (fields: URLSearchParams) => {
      if (fields.get('Command') !== `namecheap.domains.${command}`) return undefined;
      this.#answers.splice(this.#answers.indexOf(once), 1);
      return answer;
    };
    this.#answers.push(once);
  }

  /** The next request of this command takes effect, but gets no answer. */
  loseNextAnswer(command: string): void {
    const once = (fields: URLSearchParams): Answer | undefined => {
      if (fields.get('Command') !== `namecheap.domains.${command}`) return undefined;
      this.#answers.splice(this.#answers.indexOf(once), 1);
      this.#result(fields);
      return 'silence';
    };
    this.#answers.push(once);
  }

  #answer(fields: URLSearchParams): Answer {
    this.requests.push(fields);
    for (const special of this.#answers) {
      const answer = special(fields);
      if (answer !== undefined) return answer;
    }
    if (fields.get('ApiKey') !== namecheapKey) {
      return { body: refusal('1011102', 'API Key is invalid or API access has not been enabled') };
    }
    if (fields.get('ClientIp') !== '203.0.113.7') {
      return { body: refusal('1011150', `Invalid request IP: ${fields.get('ClientIp')}`) };
    }
    return { body: this.#result(fields) };
  }

  #result(fields: URLSearchParams): string {
    const command = fields.get('Command');
    if (command === 'namecheap.domains.getList') return this.#list(fields);
    const name = `${fields.get('SLD')}.${fields.get('TLD')}`;
    const domain = this.domains.find((one) => one.name === name);
    if (!domain) return refusal('2019166', `Domain name not found: ${name}`);
    if (command === 'namecheap.domains.dns.getHosts') return getHosts(domain);
    return setHosts(domain, fields);
  }

  #list(fields: URLSearchParams): string {
    const size = Number(fields.get('PageSize'));
    const from = (Number(fields.get('Page')) - 1) * size;
    const shown = this.domains
      .slice(from, from + size)
      .map(
        ({ name, isOurDns }) =>
          `<Domain ID="127" Name="${name}" User="owner" Created="02/15/2016" Expires="02/15/2032" IsExpired="false" IsLocked="false" AutoRenew="false" WhoisGuard="ENABLED" IsPremium="false" IsOurDNS="${isOurDns}"/>`,
      );
    return success(
      'namecheap.domains.getList',
      `<DomainGetListResult>${shown.join('\n')}</DomainGetListResult>
      <Paging><TotalItems>${this.domains.length}</TotalItems><CurrentPage>${fields.get('Page')}</CurrentPage><PageSize>${size}</PageSize></Paging>`,
    );
  }
}

function getHosts({ name, emailType, isOurDns, hosts }: NamecheapDomain): string {
  const shown = hosts.map(
    (host, index) =>
      `<host HostId="${index + 12}" ${Object.entries(host)
        .map(([key, value]) => `${key}="${escaped(value)}"`)
        .join(' ')} AssociatedAppTitle="" FriendlyName="" IsActive="true" IsDDNSEnabled="false" />`,
  );
  return success(
    'namecheap.domains.dns.getHosts',
    `<DomainDNSGetHostsResult Domain="${name}" EmailType="${emailType}" IsUsingOurDNS="${isOurDns}">${shown.join('\n')}</DomainDNSGetHostsResult>`,
  );
}

/** "All host records that are not included into the API call will be deleted." MX records are accepted only with the EmailType MX. */
function setHosts(domain: NamecheapDomain, fields: URLSearchParams): string {
  const field = (name: string, number: number) => fields.get(`${name}${number}`) ?? '';
  const hosts: NamecheapHost[] = [];
  domain.emailType = fields.get('EmailType') ?? 'NONE';
  for (let number = 1; fields.has(`HostName${number}`); number++) {
    const Type = field('RecordType', number);
    if (Type === 'MX' && !['MX', 'OX', 'GMAIL'].includes(domain.emailType)) continue;
    hosts.push({
      Name: field('HostName', number),
      Type,
      Address: field('Address', number),
      MXPref: field('MXPref', number) || '10',
      TTL: field('TTL', number) || '1800',
    });
  }
  domain.hosts = hosts;
  return success(
    'namecheap.domains.dns.setHosts',
    `<DomainDNSSetHostsResult Domain="${domain.name}" EmailType="${domain.emailType}" IsSuccess="true"><Warnings /></DomainDNSSetHostsResult>`,
  );
}

export function refusal(number: string, message: string): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<ApiResponse Status="ERROR" xmlns="http://api.namecheap.com/xml.response">
  <Errors><Error Number="${number}">${escaped(message)}</Error></Errors>
  <Warnings /><RequestedCommand /><Server>PHX01SBAPI01</Server><GMTTimeDifference>--5:00</GMTTimeDifference><ExecutionTime>0</ExecutionTime>
</ApiResponse>`;
}

function success(command: string, result: string): string {
  return `<?xml version="1.0" encoding="utf-8"?>
<ApiResponse Status="OK" xmlns="http://api.namecheap.com/xml.response">
  <Errors /><Warnings />
  <RequestedCommand>${command}</RequestedCommand>
  <CommandResponse Type="${command}">
    ${result}
  </CommandResponse>
  <Server>PHX01SBAPI01</Server><GMTTimeDifference>--5:00</GMTTimeDifference><ExecutionTime>3.338</ExecutionTime>
</ApiResponse>`;
}

function escaped(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
