/** Ports of the block of host ports that another program uses: Caddy leaves them out, so that only their services are affected. */
import { anyAddresses, type TcpEntry, tcpTable } from '../tcp-table.ts';

export interface PortBlock {
  first: number;
  last: number;
}

/**
 * The ports of the block on which another program listens, on 127.0.0.1 or on all addresses, ascending.
 * @param own sockets of the Caddy that is already running
 */
export async function foreignPorts(block: PortBlock, own: ReadonlySet<string>): Promise<number[]> {
  const isForeign = ({ state, localAddress, localPort, inode }: TcpEntry) =>
    state === 'listen' &&
    !own.has(inode) &&
    (localAddress === '127.0.0.1' || anyAddresses.includes(localAddress)) &&
    isIn(block, localPort);
  const ports = (await tcpTable()).filter(isForeign).map(({ localPort }) => localPort);
  return [...new Set(ports)].sort((a, b) => a - b);
}

export const isIn = ({ first, last }: PortBlock, port: number): boolean => port >= first && port <= last;

/** The block without these ports, as ranges. */
export function rangesWithout({ first, last }: PortBlock, left: readonly number[]): PortBlock[] {
  const ranges: PortBlock[] = [];
  let from = first;
  for (const port of [...left.filter((one) => one >= first && one <= last), last + 1]) {
    if (port > from) ranges.push({ first: from, last: port - 1 });
    from = port + 1;
  }
  return ranges;
}
