/**
 * Resolves names like this host, but without threads: `getaddrinfo` can only work on two names at a time. Two names of one tenant with slow
 * servers would delay all other names, and the connection to the control plane.
 */
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'tldts';
import { askNameServers } from '../base/ask-name-servers.ts';

/** Resolves a name to all its addresses. @returns none if there is no such name @throws Error without a definite answer */
export type Resolve = (host: string) => Promise<string[]>;

/** Some servers never answer for one of the two kinds of addresses. */
const otherKindMs = 2_000;

/** Asks the hosts file first, then the name servers, and last, for names that can't be registered, the system's other sources. */
export const systemResolve: Resolve = (host) => resolveWith(host);

/** @param servers `<address>` or `<address>:<port>`; by default the host's, read again for each name */
export async function resolveWith(host: string, servers?: readonly string[]): Promise<string[]> {
  const name = host.toLowerCase().replace(/\.$/, '');
  // A name without a dot is a name of this machine, or gets a domain from its settings.
  const isWhole = name.includes('.') && !(await isInHostsFile(name));
  if (isWhole && name.endsWith('.invalid')) return []; // RFC 6761: such a name never exists
  const found = isWhole ? await fromNameServers(name, servers) : 'not asked';
  if (found === 'not asked') return await fromSystem(host);
  // The owner of a public name's servers could also block the system's threads.
  if (found.length > 0 || parse(name).isIcann) return found;
  return await fromSystem(host).catch(() => []);
}

/** @returns `not asked` if no name server listens: the system may have other sources */
async function fromNameServers(name: string, servers?: readonly string[]): Promise<string[] | 'not asked'> {
  const over = new AbortController();
  const ask = (kind: 'resolve4' | 'resolve6') =>
    askNameServers((resolver) => resolver[kind](name), over.signal, servers);
  const kinds = [ask('resolve4'), ask('resolve6')];
  const enough = kinds.map(async (kind) => {
    if ((await kind).length === 0) throw new Error('the other kind may have addresses');
    await delay(otherKindMs, undefined, { signal: over.signal });
  });
  try {
    await Promise.any([Promise.allSettled(kinds), ...enough]);
    over.abort();
    const answers = await Promise.allSettled(kinds);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const failure = answers.find(({ status }) => status === 'rejected');
    if (found.length === 0 && failure?.status === 'rejected') {
      if (failure.reason.code === 'ECONNREFUSED') return 'not asked';
      throw failure.reason;
    }
    return await inOrder(found);
  } finally {
    over.abort();
    await Promise.allSettled(enough);
  }
}

/** RFC 6724: IPv6 first, if there is a route for it. */
async function inOrder(addresses: readonly string[]): Promise<string[]> {
  const six = addresses.filter(isIPv6);
  const four = addresses.filter((address) => !isIPv6(address));
  const [first] = six;
  return first !== undefined && (await hasRoute(first)) ? [...six, ...four] : [...four, ...six];
}

async function fromSystem(host: string): Promise<string[]> {
  try {
    const answers = await lookup(host, { all: true, verbatim: true });
    return answers.map(({ address }) => address);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTFOUND') return [];
    throw error;
  }
}

async function isInHostsFile(name: string): Promise<boolean> {
  const text = await readFile('/etc/hosts', 'utf8').catch(() => '');
  return text
    .split('\n')
    .some((line) => line.replace(/#.*/, '').toLowerCase().split(/\s+/).slice(1).includes(name));
}

/** Connects without a packet, to port 9 (discard). */
async function hasRoute(address: string): Promise<boolean> {
  const socket = createSocket('udp6');
  try {
    return await new Promise<boolean>((resolve) => {
      socket.once('error', () => resolve(false)).connect(9, address, () => resolve(true));
    });
  } finally {
    socket.close();
  }
}
