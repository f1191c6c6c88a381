import ipaddr from 'ipaddr.js';

/** Address of clients without one: a Worker without Cloudflare or the embedded start in front of it. */
const unknownAddress = 'unknown';

/**
 * The client address for limits and audit. Cloudflare sets `CF-Connecting-IP` and overwrites one from the client
 * (https://developers.cloudflare.com/fundamentals/reference/http-headers/). The embedded start sets it from the socket, unless a proxy
 * in front of it already did. An IPv6 address is reduced to its /64, the network of one subscriber.
 */
export function clientAddress(headers: Headers): string {
  const address = headers.get('cf-connecting-ip') ?? '';
  if (!ipaddr.isValid(address)) return unknownAddress;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/64`).toString();
}
