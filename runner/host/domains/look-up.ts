/** Looks up a name in the DNS with the host's name servers (/etc/resolv.conf). */
import type { TxtAnswer } from '../../../protocol/host-request.ts';
import { askNameServers } from '../../base/ask-name-servers.ts';

export type DnsAnswer =
  /** IPv4 and IPv6, as the DNS returned them. */
  | { found: 'addresses'; addresses: string[] }
  /** A definite answer: the name does not exist, or has no address. */
  | { found: 'nothing' }
  /** No definite answer: `reason` is a short word such as `ETIMEOUT`. */
  | { found: 'failure'; reason: string };

export type LookUp = (hostname: string) => Promise<DnsAnswer>;

/** A domain whose servers are slower is looked up again. */
const lookUpMs = 10_000;

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

/**
 * The TXT records with exactly this name, from the host's name servers; a CNAME is not followed. Never rejects.
 * @param servers as `createLookUp`
 */
export async function lookUpTxt(name: string, servers?: readonly string[]): Promise<TxtAnswer> {
  const late = AbortSignal.timeout(lookUpMs);
  try {
    // The resolver follows a CNAME silently, so the CNAME is queried first.
    const aliases = await askNameServers((resolver) => resolver.resolveCname(name), late, servers);
    const records =
      aliases.length > 0 ? [] : await askNameServers((resolver) => resolver.resolveTxt(name), late, servers);
    return { found: 'records', values: records.map((strings) => strings.join('')) };
  } catch (error) {
    return { found: 'failure', reason: String((error as NodeJS.ErrnoException).code ?? error) };
  }
}
