/** Looks up a name in the DNS with the host's name servers (/etc/resolv.conf). */
import { Resolver } from 'node:dns/promises';

export type DnsAnswer =
  /** IPv4 and IPv6, as the DNS returned them. */
  | { found: 'addresses'; addresses: string[] }
  /** A definite answer: no such name, or no address for it. */
  | { found: 'nothing' }
  /** No definite answer: `reason` is a short word such as `ETIMEOUT`. */
  | { found: 'failure'; reason: string };

export type LookUp = (hostname: string) => Promise<DnsAnswer>;

/** Each name server is tried twice, with twice the timeout the second time. */
export const lookUpLimits = { timeout: 3_000, tries: 2 };

/** RFC 2308: NXDOMAIN and NODATA, as c-ares names them. */
export const noSuchRecord: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA']);

/** @param servers `<address>` or `<address>:<port>`; by default the host's, read again for each look-up */
export function createLookUp(servers?: readonly string[]): LookUp {
  return async (hostname) => {
    const resolver = new Resolver(lookUpLimits);
    if (servers) resolver.setServers(servers);
    const answers = await Promise.all([
      settled(resolver.resolve4(hostname)),
      settled(resolver.resolve6(hostname)),
    ]);
    const failure = answers.find(({ found }) => found === 'failure');
    if (failure) return failure;
    const addresses = answers.flatMap((answer) => (answer.found === 'addresses' ? answer.addresses : []));
    return addresses.length > 0 ? { found: 'addresses', addresses } : { found: 'nothing' };
  };
}

async function settled(asked: Promise<string[]>): Promise<DnsAnswer> {
  try {
    return { found: 'addresses', addresses: await asked };
  } catch (error) {
    const reason = String((error as NodeJS.ErrnoException).code ?? error);
    return noSuchRecord.has(reason) ? { found: 'nothing' } : { found: 'failure', reason };
  }
}
