/**
 * Namecheap's DNS: https://www.namecheap.com/support/api/methods/domains-dns/set-hosts/ and get-hosts/, called through a host
 * (protocol/namecheap). "All host records that are not included into the API call will be deleted": every write therefore repeats all
 * records that were just read, whatever their type, and is read back to verify that nothing was lost.
 */
import type {
  NamecheapAnswer,
  NamecheapAnswerOf,
  NamecheapCall,
  NamecheapRecord,
} from '../../../protocol/namecheap.ts';
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
import { presentable } from './provider-http.ts';

/** The host that calls Namecheap. */
export interface NamecheapHost {
  clientIp: string;
  /** @throws ApiError `runner_offline` */
  ask(call: NamecheapCall): Promise<NamecheapAnswer>;
}

export type FindNamecheapHost = (credentials: DnsCredentials['namecheap']) => Promise<NamecheapHost>;

/** The TTL of a record with "Automatic" time to live, as getHosts returns it. */
const automaticTtl = '1799';
/** Every record has this preference, although only MX uses it; getHosts returns this default. */
const defaultMxPref = '10';
/** "Parameter RequestIP is invalid": https://www.namecheap.com/support/api/global-parameters/ */
const addressNotAllowed = '1011150';

type Records = NamecheapAnswerOf<'records'>;

export class NamecheapAccount implements DnsAccount {
  readonly #credentials: DnsCredentials['namecheap'];
  readonly #findHost: FindNamecheapHost;
  #host: Promise<NamecheapHost> | undefined;

  constructor(findHost: FindNamecheapHost, credentials: DnsCredentials['namecheap']) {
    this.#findHost = findHost;
    this.#credentials = credentials;
  }

  async verify(): Promise<void> {
    await this.#ask({ method: 'list-domains' }, 'domains');
  }

  async findZone(hostname: string): Promise<DnsZone | undefined> {
    const { domains } = await this.#ask({ method: 'list-domains' }, 'domains');
    const zone = zoneOf(
      hostname,
      domains.map((name) => ({ name })),
    );
    return zone && { id: zone.name, name: zone.name.toLowerCase(), isConfirmed: true };
  }

  async pointName(zone: DnsZone, { hostname, mayReplace, ...wanted }: NameToPoint): Promise<DnsAction> {
    const before = await this.#read(zone);
    const name = nameBelow(hostname, zone.name);
    const held = recordsOf(before, name);
    const plan = planRecord(hostname, held, wanted, mayReplace);
    if (plan.action === 'unchanged') return plan.action;
    const changed = plan.action === 'updated' ? plan.record.record : undefined;
    const records: NamecheapRecord[] = changed
      ? before.records.map((record) => (record === changed ? { ...record, address: wanted.address } : record))
      : [
          ...before.records,
          { name, type: wanted.type, address: wanted.address, mxPref: defaultMxPref, ttl: automaticTtl },
        ];
    await this.#write(zone, { ...before, records });
    return plan.action;
  }

  async addTxt(zone: DnsZone, { name, value }: TxtRecord, beforeWrite: () => Promise<void>) {
    const before = await this.#read(zone);
    const host = nameBelow(name, zone.name);
    const action = planTxt({ name, value }, recordsOf(before, host));
    if (action === 'unchanged') return action;
    await beforeWrite();
    const added = { name: host, type: 'TXT', address: value, mxPref: defaultMxPref, ttl: automaticTtl };
    await this.#write(zone, { ...before, records: [...before.records, added] });
    return action;
  }

  async removeTxt(zone: DnsZone, { name, value }: TxtRecord): Promise<void> {
    const before = await this.#read(zone);
    const own = recordsOf(before, nameBelow(name, zone.name)).filter((held) => isTxt(held, value));
    const records = before.records.filter((record) => !own.some((held) => held.record === record));
    // Namecheap has no call that removes the last record of a domain.
    if (own.length === 0 || records.length === 0) return;
    await this.#write(zone, { ...before, records });
  }

  async #read({ id, name }: DnsZone): Promise<Records> {
    const found = await this.#ask({ method: 'read-records', domain: id }, 'records');
    if (found.isUsingOurDns) return found;
    throw new ApiError(
      'conflict',
      `${name} does not use Namecheap's name servers: create the record at the provider of its name servers, or switch it to Namecheap BasicDNS.`,
    );
  }

  async #write(zone: DnsZone, { emailType, records }: Records): Promise<void> {
    const mail = records.find(({ type }) => /^MXE?$/i.test(type));
    if (emailType === null && mail) {
      throw new ApiError(
        'conflict',
        `Namecheap does not report the mail setting of ${zone.name}, so its ${mail.type} records could be lost: create the record there by hand.`,
      );
    }
    await this.#ask({ method: 'write-records', domain: zone.id, emailType, records }, 'written');
    const after = await this.#read(zone);
    const present = new Set(after.records.map(identityOf));
    const lost = records.filter((record) => !present.has(identityOf(record)));
    if (lost.length === 0 && after.emailType === emailType) return;
    const what = lost.map(({ type, name }) => `${type} ${name}`).join(', ') || 'the mail setting';
    throw new ApiError(
      'provider_refused',
      `Namecheap accepted the records of ${zone.name}, but some are missing now. Check them there: ${presentable(what, [])}`,
    );
  }

  async #ask<Outcome extends 'domains' | 'records' | 'written'>(
    call: NamecheapCall,
    outcome: Outcome,
  ): Promise<NamecheapAnswerOf<Outcome>> {
    this.#host ??= this.#findHost(this.#credentials);
    const host = await this.#host;
    const answer = await host.ask(call);
    if (isOutcome(answer, outcome)) return answer;
    if (answer.outcome === 'refused') throw this.#refused(answer, host.clientIp);
    const what =
      answer.outcome === 'unavailable' ? answer.message : 'gave an answer that does not match the request';
    throw new ApiError('unavailable', `Namecheap ${presentable(what, [this.#credentials.apiKey])}`);
  }

  #refused({ number, message }: NamecheapAnswerOf<'refused'>, clientIp: string): ApiError {
    const words = presentable(message, [this.#credentials.apiKey]);
    const hint =
      number === addressNotAllowed ? ` Allow ${clientIp} there, under Profile > Tools > API Access.` : '';
    return new ApiError('provider_refused', `Namecheap refused (${number}): ${words}${hint}`);
  }
}

/** The records of a name. @param host name relative to the zone */
function recordsOf({ records }: Records, host: string) {
  return records
    .filter((record) => record.name.toLowerCase() === host)
    .map((record) => ({ type: record.type, content: record.address, record }));
}

/** Identifies a record, to check that it still exists after a write. Namecheap may add or remove the dot at the end of a name. */
function identityOf({ name, type, address, mxPref }: NamecheapRecord): string {
  const priority = type.toUpperCase() === 'MX' ? mxPref : '';
  return JSON.stringify([name.toLowerCase(), type.toUpperCase(), address.replace(/\.$/, ''), priority]);
}

function isOutcome<Outcome extends NamecheapAnswer['outcome']>(
  answer: NamecheapAnswer,
  outcome: Outcome,
): answer is NamecheapAnswerOf<Outcome> {
  return answer.outcome === outcome;
}
