/** Finds the ports on which a container's processes listen. They are read from the host: nothing runs in the container. */
import { readFile } from 'node:fs/promises';

export interface ListeningPorts {
  /** Reachable from outside the container. */
  open: number[];
  /** Bound to the container's own loopback: not reachable from outside. */
  loopbackOnly: number[];
}

/** State LISTEN of /proc/net/tcp (Linux, include/net/tcp_states.h). */
const listening = '0A';
/** Docker's own name server listens here in every container of a project network. */
const dockerNameServer = '127.0.0.11';

/** Reads the network namespace of a process; `undefined` if the host does not allow that (not root, process ended). */
export async function listeningPorts(pid: number): Promise<ListeningPorts | undefined> {
  if (pid === 0) return undefined;
  try {
    const tables = await Promise.all(
      ['tcp', 'tcp6'].map((table) => readFile(`/proc/${pid}/net/${table}`, 'utf8')),
    );
    return parseListeningPorts(tables.join('\n'));
  } catch {
    return undefined;
  }
}

/** Parses the text of /proc/net/tcp and tcp6. */
export function parseListeningPorts(tables: string): ListeningPorts {
  const open = new Set<number>();
  const loopback = new Set<number>();
  for (const line of tables.split('\n')) {
    const [, local, , state] = line.trim().split(/\s+/);
    const [addressHex = '', portHex = ''] = local?.split(':') ?? [];
    if (state !== listening || !portHex) continue;
    const address = hexAddress(addressHex);
    if (address === dockerNameServer) continue;
    (address.startsWith('127.') || address === '::1' ? loopback : open).add(Number.parseInt(portHex, 16));
  }
  const loopbackOnly = [...loopback].filter((port) => !open.has(port));
  return { open: [...open].sort((a, b) => a - b), loopbackOnly: loopbackOnly.sort((a, b) => a - b) };
}

/** Reads IPv4 as a little-endian word; of IPv6 only loopback and mapped loopback matter. */
function hexAddress(hex: string): string {
  if (hex.length === 8) return Buffer.from(hex, 'hex').reverse().join('.');
  if (hex === '00000000000000000000000001000000') return '::1';
  if (hex.startsWith('0000000000000000FFFF0000'))
    return Buffer.from(hex.slice(24), 'hex').reverse().join('.');
  return hex;
}
