/** Checks whether a client's address is in a list of addresses and networks. */

const { BlockList, isIP } = process.getBuiltinModule('node:net');

type Lists = Record<'ipv4' | 'ipv6', InstanceType<typeof BlockList>>;

/** Built once per list: lists come from the parsed state and never change. */
const built = new WeakMap<readonly string[], Lists>();

/** The minimum length of networks that can be IPv4 in IPv6 (`::ffff:192.0.2.0/120`; RFC 4291, section 2.5.5.2): they contain IPv4 addresses, too. */
const mappedBits = 96;

/** @param client IPv4, IPv6, or IPv4 in IPv6 (`::ffff:192.0.2.1`) */
export function isAllowed(client: string, allowed: readonly string[]): boolean {
  const address = client.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  const family = familyOf(address);
  if (family === undefined) return false;
  const lists = built.get(allowed) ?? build(allowed);
  return lists[family].check(address, family);
}

/** A list for each family, because a combined one treats `::/0` as a network of all IPv4 addresses. */
function build(allowed: readonly string[]): Lists {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const entry of allowed) {
    const [address = '', bits] = entry.split('/');
    const family = familyOf(address);
    if (family === undefined) continue;
    const length = Number(bits ?? (family === 'ipv6' ? 128 : 32));
    lists[family].addSubnet(address, length, family);
    if (family === 'ipv6' && length >= mappedBits) lists.ipv4.addSubnet(address, length, family);
  }
  built.set(allowed, lists);
  return lists;
}

function familyOf(address: string): keyof Lists | undefined {
  const version = isIP(address);
  return version === 0 ? undefined : version === 6 ? 'ipv6' : 'ipv4';
}
