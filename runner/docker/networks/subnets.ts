/** Chooses the /24 of a new project network: pure arithmetic on IPv4 ranges. */
import ipaddr from 'ipaddr.js';

/** An IPv4 range as its first and last address, both as unsigned numbers. */
export interface Range {
  first: number;
  last: number;
}

const addressesPerNetwork = 256;

/** Parses `10.210.0.0/15`. Returns `undefined` for anything but an IPv4 range (Docker also lists IPv6 ranges). */
export function parseRange(cidr: string): Range | undefined {
  if (!ipaddr.IPv4.isValidCIDR(cidr)) return undefined;
  const [address, bits] = ipaddr.IPv4.parseCIDR(cidr);
  const size = 2 ** (32 - bits);
  const first = Math.floor(toNumber(address.toByteArray()) / size) * size;
  return { first, last: first + size - 1 };
}

/** The first /24 within `within` that overlaps none of `taken`; `undefined` if all are in use. */
export function freeSubnet(within: Range, taken: Range[]): string | undefined {
  for (
    let first = within.first;
    first + addressesPerNetwork - 1 <= within.last;
    first += addressesPerNetwork
  ) {
    const last = first + addressesPerNetwork - 1;
    if (!taken.some((range) => range.first <= last && first <= range.last)) return `${toText(first)}/24`;
  }
  return undefined;
}

/**
 * A host address of the subnet that is not in `used`: the next after the highest used one, or else from the start again. So a released
 * address is reused as late as possible.
 */
export function freeAddress(subnet: Range, used: string[]): string | undefined {
  const numbers = new Set(used.map((address) => toNumber(ipaddr.IPv4.parse(address).toByteArray())));
  const lowest = subnet.first + 2; // .0 is the network, .1 the gateway
  const highest = subnet.last - 1; // the last is the broadcast address
  const inside = [...numbers].filter((number) => number >= lowest && number <= highest);
  const after = Math.max(lowest - 1, ...inside);
  for (let step = 1; step <= highest - lowest + 1; step += 1) {
    const candidate = lowest + ((after - lowest + step) % (highest - lowest + 1));
    if (!numbers.has(candidate)) return toText(candidate);
  }
  return undefined;
}

/** Ranges in /proc/net/route: destination and mask as little-endian hex words. The default route (mask 0) takes no range. */
export function routedRanges(procNetRoute: string): Range[] {
  return procNetRoute
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, destination, , , , , , mask] = line.split('\t');
      if (!destination || !mask || /^0+$/.test(mask)) return [];
      const first = littleEndian(destination);
      return [{ first, last: first + (0xffffffff - littleEndian(mask)) }];
    });
}

const littleEndian = (hex: string) => Buffer.from(hex, 'hex').readUInt32LE(0);
const toNumber = (bytes: number[]) => Buffer.from(bytes).readUInt32BE(0);

function toText(number: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number);
  return bytes.join('.');
}
