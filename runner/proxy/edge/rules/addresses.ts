/** Whether a client's address is in a list of addresses and networks. */

const { BlockList, isIP } = process.getBuiltinModule('node:net');

/** Built once per list: lists come from the parsed state and never change. */
const built = new WeakMap<readonly string[], InstanceType<typeof BlockList>>();

/** @param client IPv4, IPv6, or IPv4 in IPv6 (`::ffff:192.0.2.1`) */
export function isAllowed(client: string, allowed: readonly string[]): boolean {
  const address = client.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  const version = isIP(address);
  if (version === 0) return false;
  const list = built.get(allowed) ?? build(allowed);
  return list.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

function build(allowed: readonly string[]) {
  const list = new BlockList();
  for (const entry of allowed) {
    const [address = '', bits] = entry.split('/');
    const version = isIP(address);
    if (version === 0) continue;
    const family = version === 6 ? 'ipv6' : 'ipv4';
    list.addSubnet(address, Number(bits ?? (version === 6 ? 128 : 32)), family);
  }
  built.set(allowed, list);
  return list;
}
