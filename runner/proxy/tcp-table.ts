/**
 * The host's TCP tables: listening and connected sockets. Format: proc_net_tcp in the kernel's documentation; an address is hexadecimal
 * in 32-bit groups of the machine's byte order (little-endian on all supported platforms), a port is in plain hexadecimal.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

export interface TcpEntry {
  /** Dotted IPv4 (also for IPv4-mapped IPv6), otherwise the IPv6 groups in the kernel's hexadecimal form. */
  localAddress: string;
  localPort: number;
  remoteAddress: string;
  /** `closing`: one side has ended, but the other still sends, or data is still in transit. */
  state: 'established' | 'closing' | 'listen' | 'other';
  /** Inode of the socket; a process's open sockets are links in /proc/<pid>/fd. */
  inode: string;
}

/** The wildcard address in the form of the two tables. */
export const anyAddresses = ['0.0.0.0', '0'.repeat(32)];

/** The kernel's numbers of states (include/net/tcp_states.h): closing are FIN_WAIT1, CLOSE_WAIT, LAST_ACK and CLOSING. */
const states: Record<string, TcpEntry['state']> = {
  ...{ '01': 'established', '0A': 'listen' },
  ...{ '04': 'closing', '08': 'closing', '09': 'closing', '0B': 'closing' },
};
/** The interval of reads, which cost 10 to 20 ms of processor time each, however few connections there are: the kernel walks all of its buckets. */
const pollMs = 100;
/** The first port that the kernel chooses for outgoing connections (net.ipv4.ip_local_port_range). */
const firstEphemeralPort = 32_768;
const loopback6 = '00000000000000000000000001000000';

export function parseTcpTable(text: string): TcpEntry[] {
  const entries: TcpEntry[] = [];
  for (const line of text.split('\n').slice(1)) {
    const [, local, remote, state, , , , , , inode = ''] = line.trim().split(/\s+/);
    const [localAddress, localPort] = local?.split(':') ?? [];
    const remoteAddress = remote?.split(':')[0];
    if (!localAddress || !localPort || !remoteAddress) continue;
    entries.push({
      localAddress: readAddress(localAddress),
      localPort: Number.parseInt(localPort, 16),
      remoteAddress: readAddress(remoteAddress),
      state: states[state ?? ''] ?? 'other',
      inode,
    });
  }
  return entries;
}

/** Both tables of this network namespace; a machine without IPv6 lacks the second. */
export async function tcpTable(): Promise<TcpEntry[]> {
  return (await tablesIn('/proc/net')) ?? [];
}

/**
 * The number of connections that the proxy, other services and other clients have opened to the programs of a container. A half-closed one
 * counts, too: its client still waits for the answer, or has not read all of it.
 * @param container.pid of its main process on this host
 * @returns only those of the proxy if the process can't be read, as in a Docker elsewhere
 */
export async function connectionsInto({
  pid,
  address,
}: {
  pid: number;
  address: string | null;
}): Promise<number> {
  const entries = pid > 0 ? await tablesIn(`/proc/${pid}/net`) : undefined;
  if (!entries)
    return (await tcpTable()).filter(
      ({ state, remoteAddress }) => state === 'established' && remoteAddress === address,
    ).length;
  const listening = new Set(entries.flatMap(({ state, localPort }) => (state === 'listen' ? localPort : [])));
  // A program that ends has already closed its listening socket: the port shows that it has not opened the connection itself.
  const isTheirs = ({ state, localPort, localAddress }: TcpEntry) =>
    (state === 'established' || state === 'closing') &&
    (listening.has(localPort) || localPort < firstEphemeralPort) &&
    !localAddress.startsWith('127.') &&
    localAddress !== loopback6;
  return entries.filter(isTheirs).length;
}

async function tablesIn(directory: string): Promise<TcpEntry[] | undefined> {
  const read = (name: string) => readFile(`${directory}/${name}`, 'utf8').catch(() => undefined);
  const texts = await Promise.all(['tcp', 'tcp6'].map(read));
  return texts.every((text) => text === undefined)
    ? undefined
    : texts.flatMap((text = '') => parseTcpTable(text));
}

/**
 * Resolves when no connection to this address is open, or after `timeoutMs`.
 * @param settleMs the time in which new connections may still be opened: waited first, within the time limit
 * @throws the signal's reason
 */
export async function drained(
  address: string,
  { timeoutMs, settleMs, signal }: { timeoutMs: number; settleMs: number; signal: AbortSignal },
  table: () => Promise<TcpEntry[]> = tcpTable,
): Promise<void> {
  const endsAt = performance.now() + timeoutMs;
  await wait(Math.min(settleMs, timeoutMs), signal);
  const beganAt = performance.now();
  for (;;) {
    const entries = await table();
    if (!entries.some((entry) => entry.state === 'established' && entry.remoteAddress === address)) return;
    const left = endsAt - performance.now();
    if (left <= 0) return;
    await wait(Math.min(growingPauseMs(beganAt), left), signal);
  }
}

/** The pause before the next read: as long as the wait so far, so that fast ends are noticed soon. @param beganAt of performance.now() */
export const growingPauseMs = (beganAt: number): number => Math.max(pollMs, performance.now() - beganAt);

async function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  await pause(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted());
}

const mappedPrefix = '0000000000000000FFFF0000';

function readAddress(hex: string): string {
  const ipv4 = hex.length === 8 ? hex : hex.startsWith(mappedPrefix) ? hex.slice(mappedPrefix.length) : '';
  if (!ipv4) return hex;
  return [6, 4, 2, 0].map((at) => Number.parseInt(ipv4.slice(at, at + 2), 16)).join('.');
}
