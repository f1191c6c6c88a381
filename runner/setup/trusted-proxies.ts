/** The networks whose machines may say who a visitor is: load balancers and content delivery networks in front of a host. Pure. */
import { isIP } from 'node:net';
import { z } from 'zod';

/** The name that stands for Cloudflare's networks. */
const cloudflare = 'cloudflare';

/** As published on 2023-09-28, the last change: https://www.cloudflare.com/ips/ */
export const cloudflareNetworks = [
  ...['173.245.48.0/20', '103.21.244.0/22', '103.22.200.0/22', '103.31.4.0/22', '141.101.64.0/18'],
  ...['108.162.192.0/18', '190.93.240.0/20', '188.114.96.0/20', '197.234.240.0/22', '198.41.128.0/17'],
  ...['162.158.0.0/15', '104.16.0.0/13', '104.24.0.0/14', '172.64.0.0/13', '131.0.72.0/22'],
  ...['2400:cb00::/32', '2606:4700::/32', '2803:f800::/32', '2405:b500::/32', '2405:8100::/32'],
  ...['2a06:98c0::/29', '2c0f:f248::/32'],
];

const rule =
  'must be "cloudflare", an address or a network, such as "10.0.0.5", "10.0.0.0/8" or "2001:db8::/32"';

/** An entry of the setting `trustedProxies`. */
export const trustedProxySchema = z
  .string()
  .refine((entry) => entry === cloudflare || isNetwork(entry), rule);

/** @returns networks alone */
export const networksOf = (entries: readonly string[]): string[] =>
  entries.flatMap((entry) => (entry === cloudflare ? cloudflareNetworks : [entry]));

export const trustsCloudflare = (entries: readonly string[]) => entries.includes(cloudflare);

function isNetwork(entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}
