import ipaddr from 'ipaddr.js';

/**
 * Whether the host of a URL (`URL.hostname`) is not of the public internet, as far as the text tells: nobody resolves names where the
 * Worker runs. RFC 6761, RFC 6762, and what home networks use.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() !== 'unicast';
  return !host.includes('.') || /(^|\.)(localhost|local|internal|lan|home|home\.arpa|intranet)$/.test(host);
}
