import ipaddr from 'ipaddr.js';

/** What stands for clients without an address: a Worker that is called without Cloudflare or the embedded start before it. */
const unknownAddress = 'unknown';

/**
 * The client that limits and audit count. Cloudflare sets `CF-Connecting-IP` and lets nobody else set it
 * (https://developers.cloudflare.com/fundamentals/reference/http-headers/); the embedded start sets it from the socket, unless a proxy
 * before it did. An IPv6 address counts as its /64: that is what one subscriber has.
 */
export function clientAddress(headers: Headers): string {
  const address = headers.get('cf-connecting-ip') ?? '';
  if (!ipaddr.isValid(address)) return unknownAddress;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toNormalizedString()}/64`).toString();
}
