/**
 * Keeps the kernel from using ports of the proxy's range for outgoing connections.
 * If the local end of a loopback connection got such a port (even in TIME_WAIT), a later `listen` on it fails, and Caddy could not
 * start again after a crash. Source: ip_local_reserved_ports in the kernel's ip-sysctl documentation; seen on kernel 6.18.
 */
import { readFile, writeFile } from 'node:fs/promises';

export interface PortRange {
  first: number;
  last: number;
}

const reservedPortsFile = '/proc/sys/net/ipv4/ip_local_reserved_ports';

/**
 * Adds the ranges to the reserved ports; other reservations stay. The setting is lost when the host reboots, so this runs at every start.
 * @returns false where the kernel setting can't be written (not root, or in a container)
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
