import { expect, test } from 'vitest';
import { cloudflareNetworks, networksOf, trustedProxySchema } from '../../../runner/setup/trusted-proxies.ts';

test.each(['cloudflare', '10.0.0.5', '10.0.0.0/8', '::1', '2001:db8::/32', ...cloudflareNetworks])(
  'the trusted proxy %s is accepted',
  (entry) => {
    expect(trustedProxySchema.safeParse(entry).success).toBe(true);
  },
);

test.each(['Cloudflare', 'proxy.example', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0', '::/129', '*', ''])(
  'the trusted proxy "%s" is refused, with what is right',
  (entry) => {
    expect(trustedProxySchema.safeParse(entry).error?.issues[0]?.message).toMatch(/must be "cloudflare", an/);
  },
);

test('"cloudflare" stands for its published networks', () => {
  expect(networksOf(['10.0.0.0/8', 'cloudflare'])).toEqual(['10.0.0.0/8', ...cloudflareNetworks]);
});
