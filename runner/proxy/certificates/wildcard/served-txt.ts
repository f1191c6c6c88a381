/**
 * Checks that the name servers of a zone answer with a TXT record: all servers that answer, because the CA asks any of them. They are asked
 * directly, so that no resolver has cached the record's absence. A server without an answer is skipped, as by the CA's resolver: it may be
 * down forever, or have a kind of address that this host can't reach.
 */
import { Resolver } from 'node:dns/promises';
import { messageOf } from '../../../base/logger.ts';

/** Questions to the DNS. Each rejects if there is no answer. */
export interface DnsAsk {
  nameServers(zone: string): Promise<string[]>;
  addresses(hostname: string): Promise<string[]>;
  /** @param server the server's address */
  txt(name: string, server: string): Promise<string[]>;
}

/** RFC 2308: NXDOMAIN and NODATA, as c-ares names them. */
const noRecord = new Set(['ENOTFOUND', 'ENODATA']);

/** @returns `undefined` if some of them have the record, and none lacks it; otherwise a sentence with the server that lacks it */
export async function missingTxt(name: string, value: string, ask: DnsAsk): Promise<string | undefined> {
  const servers = await serversOf(name, ask);
  if (servers.length === 0) return `The name servers of ${name} could not be found.`;
  const answers = await Promise.all(
    servers.map(async ({ server, address }): Promise<{ has?: boolean; sentence: string }> => {
      try {
        const has = (await ask.txt(name, address)).includes(value);
        return { has, sentence: `${server} does not have the TXT record ${name} yet.` };
      } catch (error) {
        return { sentence: `${server} gave no answer (${messageOf(error)}).` };
      }
    }),
  );
  const lacking = answers.find(({ has }) => has === false);
  if (!lacking && answers.some(({ has }) => has)) return undefined;
  return (lacking ?? answers[0])?.sentence;
}

/** The name servers of the longest parent zone that has name servers. */
async function serversOf(name: string, ask: DnsAsk): Promise<{ server: string; address: string }[]> {
  const labels = name.split('.');
  for (let from = 1; from < labels.length - 1; from += 1) {
    const zone = labels.slice(from).join('.');
    const servers = await ask.nameServers(zone).catch(() => []);
    if (servers.length === 0) continue;
    const found = await Promise.all(
      servers.map(async (server) => {
        const [address] = await ask.addresses(server).catch(() => []);
        return address === undefined ? [] : [{ server, address }];
      }),
    );
    return found.flat();
  }
  return [];
}

/** Asks the real DNS. @param limits of one question */
export const dnsAsk = (limits: { timeout: number; tries: number }): DnsAsk => ({
  nameServers: (zone) => new Resolver(limits).resolveNs(zone),
  addresses: async (hostname) => {
    const found = await Promise.allSettled([
      new Resolver(limits).resolve4(hostname),
      new Resolver(limits).resolve6(hostname),
    ]);
    return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  },
  async txt(name, server) {
    const resolver = new Resolver(limits);
    resolver.setServers([server]);
    try {
      return (await resolver.resolveTxt(name)).map((strings) => strings.join(''));
    } catch (error) {
      if (noRecord.has(String((error as NodeJS.ErrnoException).code))) return [];
      throw error;
    }
  },
});

export const realDns: DnsAsk = dnsAsk({ timeout: 3_000, tries: 2 });
