/** Every range that is not the public internet, with its source. */
import { describe, expect, test } from 'vitest';
import { isPublic } from '../../protocol/public-address.ts';

/** https://www.iana.org/assignments/iana-ipv4-special-registry: the first and the last address of each block. */
const ipv4Registry = [
  ['0.0.0.0/8, this network (RFC 791)', '0.0.0.0', '0.255.255.255'],
  ['10.0.0.0/8, private use (RFC 1918)', '10.0.0.0', '10.255.255.255'],
  ['100.64.0.0/10, shared address space (RFC 6598)', '100.64.0.0', '100.127.255.255'],
  ['127.0.0.0/8, loopback (RFC 1122)', '127.0.0.0', '127.255.255.255'],
  ['169.254.0.0/16, link local (RFC 3927)', '169.254.0.0', '169.254.255.255'],
  ['172.16.0.0/12, private use (RFC 1918)', '172.16.0.0', '172.31.255.255'],
  ['192.0.0.0/24, IETF protocol assignments (RFC 6890)', '192.0.0.0', '192.0.0.255'],
  ['192.0.2.0/24, TEST-NET-1 (RFC 5737)', '192.0.2.0', '192.0.2.255'],
  ['192.31.196.0/24, AS112 (RFC 7535)', '192.31.196.0', '192.31.196.255'],
  ['192.52.193.0/24, AMT (RFC 7450)', '192.52.193.0', '192.52.193.255'],
  ['192.88.99.0/24, 6to4 relay, deprecated (RFC 7526)', '192.88.99.0', '192.88.99.255'],
  ['192.168.0.0/16, private use (RFC 1918)', '192.168.0.0', '192.168.255.255'],
  ['192.175.48.0/24, AS112 (RFC 7534)', '192.175.48.0', '192.175.48.255'],
  ['198.18.0.0/15, benchmarking (RFC 2544)', '198.18.0.0', '198.19.255.255'],
  ['198.51.100.0/24, TEST-NET-2 (RFC 5737)', '198.51.100.0', '198.51.100.255'],
  ['203.0.113.0/24, TEST-NET-3 (RFC 5737)', '203.0.113.0', '203.0.113.255'],
  ['224.0.0.0/4, multicast (RFC 5771)', '224.0.0.0', '239.255.255.255'],
  ['240.0.0.0/4, reserved (RFC 1112), and broadcast (RFC 919)', '240.0.0.0', '255.255.255.255'],
] as const;

/** https://www.iana.org/assignments/iana-ipv6-special-registry, and what lies outside 2000::/3. */
const ipv6Registry = [
  ['::/128, unspecified (RFC 4291)', '::', '0:0:0:0:0:0:0:0'],
  ['::1/128, loopback (RFC 4291)', '::1', '0:0:0:0:0:0:0:1'],
  ['::/96, IPv4-compatible, deprecated (RFC 4291, 2.5.5.1)', '::127.0.0.1', '::ffff:ffff'],
  ['::ffff:0:0/96, mapped: treated as IPv4 (RFC 4291)', '::ffff:10.0.0.1', '::ffff:169.254.169.254'],
  ['::ffff:0:0:0/96, translated (RFC 2765)', '::ffff:0:7f00:1', '::ffff:0:a9fe:a9fe'],
  ['64:ff9b::/96, NAT64 (RFC 6052)', '64:ff9b::a01:203', '64:ff9b::ffff:ffff'],
  ['64:ff9b:1::/48, local NAT64 (RFC 8215)', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['100::/64, discard only (RFC 6666)', '100::', '100::ffff:ffff:ffff:ffff'],
  ['100:0:0:1::/64, dummy prefix (RFC 9780)', '100:0:0:1::', '100:0:0:1:ffff:ffff:ffff:ffff'],
  ['2001::/23, IETF protocol assignments (RFC 2928), with Teredo', '2001::', '2001:1ff:ffff::1'],
  ['2001:db8::/32, documentation (RFC 3849)', '2001:db8::', '2001:db8:ffff:ffff::'],
  ['2002::/16, 6to4 (RFC 3056)', '2002:0a01:0203::1', '2002:ffff::1'],
  ['2620:4f:8000::/48, AS112 (RFC 7534)', '2620:4f:8000::', '2620:4f:8000:ffff::'],
  ['3fff::/20, documentation (RFC 9637)', '3fff::', '3fff:fff:ffff::'],
  ['5f00::/16, segment routing (RFC 9602)', '5f00::', '5f00:ffff::'],
  ['fc00::/7, unique local (RFC 4193)', 'fc00::', 'fdff:ffff::'],
  ['fe80::/10, link local (RFC 4291)', 'fe80::', 'febf:ffff::'],
  ['fec0::/10, site local, deprecated (RFC 3879)', 'fec0::', 'feff:ffff::'],
  ['ff00::/8, multicast (RFC 4291)', 'ff00::', 'ffff:ffff::'],
  ['not handed out (IANA, IPv6 address space)', '200::1', '4000::1'],
] as const;

/** Metadata and configuration services, as their clouds document them. */
const cloudServices = [
  ['AWS, Google, Azure, DigitalOcean, Hetzner, OpenStack', '169.254.169.254', 'fd00:ec2::254'],
  ['AWS tasks, and Google by IPv6', '169.254.170.2', 'fd20:ce::254'],
  ['Azure wire server, in a public range', '168.63.129.16', '::ffff:168.63.129.16'],
  ['Alibaba', '100.100.100.200', '100.100.2.136'],
  ['Oracle (classic), and Scaleway by IPv6', '192.0.0.192', 'fd00:42::42'],
] as const;

describe.each([...ipv4Registry, ...ipv6Registry, ...cloudServices])('%s', (_, first, last) => {
  test.each([first, last])('%s is not public', (address) => {
    expect(isPublic(address)).toBe(false);
  });
});

test.each([
  '1.1.1.1',
  '9.255.255.255',
  '100.63.255.255',
  '100.128.0.0',
  '140.82.121.3',
  '168.63.129.15',
  '168.63.129.17',
  '172.32.0.0',
  '223.255.255.255',
  '2001:200::1',
  '2606:4700::6810:84e5',
  '2a01:4f8::1',
  '3ffe::1',
  '::ffff:140.82.121.3',
])('%s, outside of every range, is public', (address) => {
  expect(isPublic(address)).toBe(true);
});

test.each(['', 'example.com', '1.2.3.4/24', '256.1.1.1'])('"%s" is not a public address', (text) => {
  expect(isPublic(text)).toBe(false);
});
