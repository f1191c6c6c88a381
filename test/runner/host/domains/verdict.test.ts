import { expect, test } from 'vitest';
import { ownAddresses, publicAddressesOf } from '../../../../runner/base/own-addresses.ts';
import type { DnsAnswer } from '../../../../runner/host/domains/look-up.ts';
import {
  type Belief,
  believe,
  missesMax,
  type Verdict,
  verdictOf,
} from '../../../../runner/host/domains/verdict.ts';

const found = (...addresses: string[]): DnsAnswer => ({ found: 'addresses', addresses });
const internet = (address: string, family: 'IPv4' | 'IPv6' = 'IPv4') =>
  ({ address, family, internal: false, netmask: '', mac: '', cidr: null, scopeid: 0 }) as const;
const own = ownAddresses('203.0.113.7', {
  eth0: [internet('5.9.0.1'), internet('2a01:4f8:0:0::1', 'IPv6'), internet('fe80::1', 'IPv6')],
  docker0: [internet('172.17.0.1')],
  lo: [internet('127.0.0.1')],
});

test('a host is reached under its public address and those of its interfaces that are public', () => {
  expect([...own.all].sort()).toEqual(['203.0.113.7', '2a01:4f8::1', '5.9.0.1']);
});

test.each([
  ['here', found('203.0.113.7'), 'shop.example points to this host (203.0.113.7).'],
  ['here', found('5.9.0.1', '2a01:4F8:0::1'), 'shop.example points to this host (5.9.0.1, 2a01:4F8:0::1).'],
  [
    'elsewhere',
    found('198.51.100.1'),
    'points to 198.51.100.1, not to this host: set an A record with 203.0.113.7',
  ],
  ['elsewhere', found('172.17.0.1'), 'not to this host'],
  [
    'elsewhere',
    found('203.0.113.7', '2001:db8::9'),
    'points to this host, but also to 2001:db8::9: remove that record.',
  ],
  ['elsewhere', found('::ffff:198.51.100.1'), 'not to this host'],
  ['elsewhere', { found: 'nothing' }, 'no address in DNS yet: add an A record with 203.0.113.7.'],
  ['unknown', { found: 'failure', reason: 'ETIMEOUT' }, 'gave no answer (ETIMEOUT)'],
  ['elsewhere', found('1.1.1.1', '1.1.1.2', '1.1.1.3', '1.1.1.4', '1.1.1.5', '1.1.1.6'), 'and 2 more, not'],
] as const)('a name\'s verdict is "%s" for %j', (dns, answer, sentence) => {
  const verdict = verdictOf('shop.example', answer as DnsAnswer, own);
  expect(verdict.dns).toBe(dns);
  expect(verdict.detail).toContain(sentence);
});

test('a name points to an IPv6 host by an AAAA record', () => {
  const six = ownAddresses('2001:DB8:0::7', {});
  expect(verdictOf('shop.example', found('2001:db8::7'), six).dns).toBe('here');
  expect(verdictOf('shop.example', { found: 'nothing' }, six).detail).toContain(
    'an AAAA record with 2001:DB8:0::7',
  );
});

const here: Verdict = { dns: 'here', detail: 'h' };
const elsewhere: Verdict = { dns: 'elsewhere', detail: 'e' };
const unknown: Verdict = { dns: 'unknown', detail: 'u' };
const believed = (isActive: boolean, ...seen: Verdict[]) =>
  seen.reduce<Belief>((belief, one) => believe(belief, one, isActive), { reported: undefined, misses: 0 });

test('the state of a pending name follows every definite answer at once', () => {
  expect(believed(false, elsewhere).reported).toEqual(elsewhere);
  expect(believed(false, elsewhere, here).reported).toEqual(here);
});

test('the state of an active name changes only after several answers in a row', () => {
  expect(missesMax).toBeGreaterThan(2);
  expect(believed(true, here, ...Array(missesMax - 1).fill(elsewhere)).reported).toEqual(here);
  expect(believed(true, here, ...Array(missesMax).fill(elsewhere)).reported).toEqual(elsewhere);
  expect(believed(true, here, elsewhere, elsewhere, here, elsewhere, elsewhere).reported).toEqual(here);
});

test('the state of a name is not changed by silent name servers, nor is its count of contrary answers', () => {
  expect(believed(true, here, ...Array(50).fill(unknown)).reported).toEqual(here);
  expect(believed(false, elsewhere, unknown).reported).toEqual(elsewhere);
  expect(believed(true, here, elsewhere, unknown, elsewhere, unknown).reported).toEqual(here);
  expect(believed(false, unknown).reported).toEqual(unknown);
});

test('the public addresses of the interfaces are found, each in one spelling', () => {
  const address = { netmask: '', mac: '', internal: false, cidr: null };
  const interfaces = {
    lo: [{ ...address, address: '127.0.0.1', family: 'IPv4' as const }],
    eth0: [
      { ...address, address: '140.82.121.3', family: 'IPv4' as const },
      { ...address, address: '2606:4700:0000::0001', family: 'IPv6' as const, scopeid: 0 },
      { ...address, address: 'fe80::1', family: 'IPv6' as const, scopeid: 2 },
    ],
  };
  expect(publicAddressesOf(interfaces)).toEqual(['140.82.121.3', '2606:4700::1']);
});
