import ipaddr from 'ipaddr.js';
import { isPublic } from '../../../protocol/public-address.ts';

/**
 * Whether the host of a URL (`URL.hostname`) is not on the public internet, as far as the text shows; the Worker can't resolve names.
 * RFC 6761, RFC 6762, and names common in home networks.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (ipaddr.isValid(host)) return !isPublic(host);
  return !host.includes('.') || /(^|\.)(localhost|local|internal|lan|home|home\.arpa|intranet)$/.test(host);
}
