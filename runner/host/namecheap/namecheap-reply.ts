/**
 * Parses Namecheap's XML answers strictly. A write replaces every record of a domain, so a truncated, incomplete or wrong answer must
 * never be read as a shorter list. https://www.namecheap.com/support/api/error-codes/
 */
import { DOMParser, type Element } from '@xmldom/xmldom';
import type { NamecheapRecord } from '../../../protocol/namecheap.ts';

/** Namecheap refused the call. */
export class NamecheapRefusal extends Error {
  override readonly name = 'NamecheapRefusal';
  readonly number: string;

  constructor(number: string, message: string) {
    super(message);
    this.number = number;
  }
}

/** Namecheap gave no answer, or an invalid one. The message continues a sentence that starts with "Namecheap". */
export class NamecheapUnavailable extends Error {
  override readonly name = 'NamecheapUnavailable';
}

const unknownForm = 'answered in an unknown format';
/** "Too many requests": 50 a minute, 700 an hour, 8,000 a day for all keys together. */
const tooManyRequests = '500000';

/**
 * The result element of a successful answer.
 * @throws NamecheapRefusal, NamecheapUnavailable
 */
export function resultIn(xml: string, resultName: string): Element {
  const root = parse(xml);
  if (root.localName !== 'ApiResponse') throw new NamecheapUnavailable(unknownForm);
  if (root.getAttribute('Status') !== 'OK') throw refusalIn(root);
  const [response] = childrenOf(root, 'CommandResponse');
  const [result] = response ? childrenOf(response, resultName) : [];
  if (!result) throw new NamecheapUnavailable(unknownForm);
  return result;
}

/** Parses `namecheap.domains.getList`: one page of names, and the total number. */
export function domainsIn(xml: string): { names: string[]; total: number } {
  const result = resultIn(xml, 'DomainGetListResult');
  const [paging] = childrenOf(result.parentNode as Element, 'Paging');
  const [total] = paging ? childrenOf(paging, 'TotalItems') : [];
  const count = Number(total?.textContent ?? 'none');
  if (!Number.isInteger(count)) throw new NamecheapUnavailable(unknownForm);
  return { names: childrenOf(result, 'Domain').map((domain) => attribute(domain, 'Name')), total: count };
}

/** Parses `namecheap.domains.dns.getHosts`. */
export function recordsIn(
  xml: string,
  domain: string,
): { isUsingOurDns: boolean; emailType: string | null; records: NamecheapRecord[] } {
  const result = resultIn(xml, 'DomainDNSGetHostsResult');
  if (attribute(result, 'Domain').toLowerCase() !== domain.toLowerCase()) {
    throw new NamecheapUnavailable(unknownForm);
  }
  return {
    isUsingOurDns: attribute(result, 'IsUsingOurDNS') === 'true',
    emailType: result.getAttribute('EmailType'),
    records: childrenOf(result, 'host').map((host) => ({
      name: attribute(host, 'Name'),
      type: attribute(host, 'Type'),
      address: attribute(host, 'Address'),
      mxPref: attribute(host, 'MXPref'),
      ttl: attribute(host, 'TTL'),
    })),
  };
}

function parse(xml: string): Element {
  try {
    const parser = new DOMParser({
      onError: (level, message) => {
        throw new Error(`${level}: ${message}`);
      },
    });
    const root = parser.parseFromString(xml, 'text/xml').documentElement;
    if (root) return root;
  } catch {
    // The parser's message is not needed: it only quotes the answer.
  }
  throw new NamecheapUnavailable(unknownForm);
}

function refusalIn(root: Element): Error {
  const [errors] = childrenOf(root, 'Errors');
  const [error] = errors ? childrenOf(errors, 'Error') : [];
  if (!error) return new NamecheapUnavailable(unknownForm);
  const number = error.getAttribute('Number') ?? '';
  if (number === tooManyRequests)
    return new NamecheapUnavailable('accepts no more requests for now: try again later');
  return new NamecheapRefusal(number, error.textContent ?? '');
}

/** Child elements by local name, ignoring case: the documentation says `Host`, the API sends `host`. */
function childrenOf(parent: Element, name: string): Element[] {
  return Array.from(parent.childNodes).filter(
    (node): node is Element =>
      node.nodeType === 1 && (node as Element).localName?.toLowerCase() === name.toLowerCase(),
  );
}

/** @throws NamecheapUnavailable for a missing attribute: an empty text would be written back */
function attribute(element: Element, name: string): string {
  const value = element.getAttribute(name);
  if (value === null) throw new NamecheapUnavailable(unknownForm);
  return value;
}
