import { expect, test } from 'vitest';
import { isAllowed } from '../../../../../runner/proxy/edge/rules/addresses.ts';

test.each([
  ['192.0.2.7', '192.0.2.7', true],
  ['192.0.2.7', '192.0.2.0/24', true],
  ['192.0.3.7', '192.0.2.0/24', false],
  ['::ffff:192.0.2.7', '192.0.2.0/24', true],
  ['192.0.2.7', '0.0.0.0/0', true],
  ['192.0.2.7', '::/0', false],
  ['192.0.2.7', '::/80', false],
  ['192.0.2.7', '::ffff:0:0/90', false],
  ['192.0.2.7', '::ffff:192.0.2.0/120', true],
  ['192.0.2.7', '::ffff:c000:200/120', true],
  ['192.0.3.7', '::ffff:192.0.2.0/120', false],
  ['192.0.2.7', '2001:db8::/96', false],
  ['2001:db8::1', '::/0', true],
  ['2001:db8::1', '2001:db8::/32', true],
  ['2001:db8::1', '0.0.0.0/0', false],
  ['fe80::1%eth0', 'fe80::/10', true],
  ['no address', '::/0', false],
])('the client %s and the network %s: allowed %s', (client, network, expected) => {
  expect(isAllowed(client, [network])).toBe(expected);
});
