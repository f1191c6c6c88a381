/**
 * Whether the name servers of a zone answer with a TXT record: all that answer, because the CA asks any. They are asked themselves, so that
 * no resolver remembers that there was none. One that gives no answer is passed over, as the CA's resolver does: it may be down for ever, or
 * have an address of a kind that this host can't reach.
 */
import { Resolver } from 'node:dns/promises';
import { messageOf } from '../../../base/logger.ts';

/** What is asked of the DNS. Each rejects where there is no answer. */
export interface DnsAsk {
  /** Names of the name servers of this zone. */
  nameServers(zone: string): Promise<string[]>;
  addresses(hostname: string): Promise<string[]>;
  /** @param server its address */
  txt(name: string, server: string): Promise<string[]>;
}

/** RFC 2308: NXDOMAIN and NODATA, as c-ares names them. */
const noRecord = new Set(['ENOTFOUND', 'ENODATA']);

/** @returns undefined if some of them have it, and none lacks it; else a sentence that says which one does not */
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

/** The name servers of the longest zone that has any. */
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
