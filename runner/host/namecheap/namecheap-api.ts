/**
 * Namecheap's API: https://www.namecheap.com/support/api/intro/. Every call is a POST, so that the key is in the body, not in a URL.
 */
import type { NamecheapAnswerOf, NamecheapRecord, NamecheapRequest } from '../../../protocol/namecheap.ts';
import { domainsIn, NamecheapRefusal, NamecheapUnavailable, recordsIn, resultIn } from './namecheap-reply.ts';

export const namecheapUrl = 'https://api.namecheap.com/xml.response';

/** Time limit of one call, including its body. */
const callTimeoutMs = 10_000;
/** The largest page that getList returns. */
const pageSize = 100;
/** 2,000 domains; each page counts against the limit of 50 calls a minute. */
const pagesMax = 20;

export interface NamecheapAccess {
  credentials: NamecheapRequest['credentials'];
  url: string;
  timeoutMs?: number;
}

type Parameters = Record<string, string>;

/** All methods throw NamecheapRefusal and NamecheapUnavailable. */
export class NamecheapApi {
  readonly #access: NamecheapAccess;

  constructor(access: NamecheapAccess) {
    this.#access = access;
  }

  /** `namecheap.domains.getList`, all pages. */
  async listDomains(): Promise<string[]> {
    const names: string[] = [];
    for (let page = 1; page <= pagesMax; page++) {
      const xml = await this.#read('namecheap.domains.getList', {
        Page: String(page),
        PageSize: String(pageSize),
        SortBy: 'NAME',
      });
      const found = domainsIn(xml);
      names.push(...found.names);
      if (found.names.length === 0 || names.length >= found.total) return names;
    }
    throw new NamecheapRefusal('0', `The account has more than ${pagesMax * pageSize} domains.`);
  }

  /** `namecheap.domains.dns.getHosts` */
  async readRecords(domain: string): Promise<Omit<NamecheapAnswerOf<'records'>, 'outcome'>> {
    return recordsIn(await this.#read('namecheap.domains.dns.getHosts', partsOf(domain)), domain);
  }

  /** `namecheap.domains.dns.setHosts`: replaces all records. Never repeated. */
  async writeRecords(
    domain: string,
    emailType: string | null,
    records: readonly NamecheapRecord[],
  ): Promise<void> {
    const parameters: Parameters = {
      ...partsOf(domain),
      ...(emailType === null ? {} : { EmailType: emailType }),
    };
    for (const [index, record] of records.entries()) {
      const number = index + 1;
      parameters[`HostName${number}`] = record.name;
      parameters[`RecordType${number}`] = record.type;
      parameters[`Address${number}`] = record.address;
      parameters[`MXPref${number}`] = record.mxPref;
      parameters[`TTL${number}`] = record.ttl;
    }
    const xml = await this.#call('namecheap.domains.dns.setHosts', parameters);
    const result = resultIn(xml, 'DomainDNSSetHostsResult');
    if (result.getAttribute('IsSuccess') === 'true') return;
    throw new NamecheapRefusal('0', 'The records were not set; no reason given.');
  }

  /** Calls a command that changes nothing: retried once when it fails. */
  async #read(command: string, parameters: Parameters): Promise<string> {
    return this.#call(command, parameters).catch(() => this.#call(command, parameters));
  }

  async #call(command: string, parameters: Parameters): Promise<string> {
    const { credentials, url, timeoutMs = callTimeoutMs } = this.#access;
    const { apiUser, apiKey, userName, clientIp } = credentials;
    const form = {
      ApiUser: apiUser,
      ApiKey: apiKey,
      UserName: userName,
      ClientIp: clientIp,
      Command: command,
    };
    const request = {
      method: 'POST',
      body: new URLSearchParams({ ...form, ...parameters }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    } as const;
    const response = await fetch(url, request)
      .then(async (answer) => ({ status: answer.status, text: await answer.text() }))
      .catch((cause: unknown) => {
        const isLate = cause instanceof Error && cause.name === 'TimeoutError';
        throw new NamecheapUnavailable(
          isLate ? `did not answer within ${timeoutMs / 1000} s` : 'could not be reached from the host',
        );
      });
    if (response.status !== 200) throw new NamecheapUnavailable(`answered HTTP ${response.status}`);
    return response.text;
  }
}

/** Namecheap expects a domain in two parts, the registered label and its suffix (`example`, `co.uk`). */
function partsOf(domain: string): Parameters {
  const dot = domain.indexOf('.');
  return { SLD: domain.slice(0, dot), TLD: domain.slice(dot + 1) };
}
