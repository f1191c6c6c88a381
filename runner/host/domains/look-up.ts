/** Looks up a name in the DNS with the host's name servers (/etc/resolv.conf). */
import { askNameServers } from '../../base/ask-name-servers.ts';

export type DnsAnswer =
  /** IPv4 and IPv6, as the DNS returned them. */
  | { found: 'addresses'; addresses: string[] }
  /** A definite answer: no such name, or no address for it. */
  | { found: 'nothing' }
  /** No definite answer: `reason` is a short word such as `ETIMEOUT`. */
  | { found: 'failure'; reason: string };

export type LookUp = (hostname: string) => Promise<DnsAnswer>;

/** A domain whose servers are slower is looked up again. */
export const lookUpMs = 10_000;

/** @param servers `<address>` or `<address>:<port>`; by default the host's, read again for each look-up */
export function createLookUp(servers?: readonly string[]): LookUp {
  return async (hostname) => {
    const late = AbortSignal.timeout(lookUpMs);
    const answers = await Promise.all([
      settled(askNameServers((resolver) => resolver.resolve4(hostname), late, servers)),
      settled(askNameServers((resolver) => resolver.resolve6(hostname), late, servers)),
    ]);
    const failure = answers.find(({ found }) => found === 'failure');
    if (failure) return failure;
    const addresses = answers.flatMap((answer) => (answer.found === 'addresses' ? answer.addresses : []));
    return addresses.length > 0 ? { found: 'addresses', addresses } : { found: 'nothing' };
  };
}

async function settled(asked: Promise<string[]>): Promise<DnsAnswer> {
  try {
    const addresses = await asked;
    return addresses.length > 0 ? { found: 'addresses', addresses } : { found: 'nothing' };
  } catch (error) {
    return { found: 'failure', reason: String((error as NodeJS.ErrnoException).code ?? error) };
  }
}
