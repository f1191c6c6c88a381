/**
 * Keeps the kernel from lending ports of the proxy's range to outgoing connections.
 * A loopback connection whose own end got such a port (even one in TIME_WAIT) makes a later `listen` on it fail, so that Caddy could
 * not come back after a crash. Source: ip_local_reserved_ports in the kernel's ip-sysctl documentation; seen here on 6.18.
 */
import { readFile, writeFile } from 'node:fs/promises';

export interface PortRange {
  first: number;
  last: number;
}

const reservedPortsFile = '/proc/sys/net/ipv4/ip_local_reserved_ports';

/**
 * Adds the ranges to the reserved ones; what others reserved stays. Lasts until the host is started anew, so it is done at every start.
 * @returns false where the kernel's setting can't be written (no root, or a container)
 */
export async function reservePorts(ranges: readonly PortRange[], file = reservedPortsFile): Promise<boolean> {
  try {
    const reserved = parseRanges(await readFile(file, 'utf8'));
    const missing = ranges.filter((range) => !reserved.some((other) => covers(other, range)));
    if (missing.length > 0) await writeFile(file, [...reserved, ...missing].map(formatRange).join(','));
    return true;
  } catch {
    return false;
  }
}

function parseRanges(text: string): PortRange[] {
  return text
    .trim()
    .split(',')
    .filter((part) => part !== '')
    .map((part) => {
      const [first = 0, last = first] = part.split('-').map(Number);
      return { first, last };
    });
}

const covers = (outer: PortRange, inner: PortRange) => outer.first <= inner.first && inner.last <= outer.last;
const formatRange = ({ first, last }: PortRange) => (first === last ? `${first}` : `${first}-${last}`);
