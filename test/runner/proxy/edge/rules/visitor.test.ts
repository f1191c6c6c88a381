import { expect, test } from 'vitest';
import { visitorOf } from '../../../../../runner/proxy/edge/rules/visitor.ts';

const trusted = ['10.0.0.0/8', '2001:db8::/32'];

test.each([
  ['one address', '198.51.100.7', '198.51.100.7', ['198.51.100.7']],
  ['a forged beginning', '6.6.6.6, 198.51.100.7', '198.51.100.7', ['198.51.100.7']],
  ['several proxies', '198.51.100.7, 10.0.0.2', '198.51.100.7', ['198.51.100.7', '10.0.0.2']],
  [
    'IPv6 with ports',
    '[2001:4860::8]:443, [2001:db8::2]:80',
    '2001:4860::8',
    ['2001:4860::8', '2001:db8::2'],
  ],
  ['IPv4 with a port', '198.51.100.7:5000', '198.51.100.7', ['198.51.100.7']],
  ['proxies alone', '10.0.0.3,10.0.0.2', '10.0.0.3', ['10.0.0.3', '10.0.0.2']],
  ['what is no address', '198.51.100.7, unknown, 10.0.0.2', '10.0.0.2', ['10.0.0.2']],
  ['nothing', '', '10.0.0.1', []],
])('the visitor behind a trusted proxy that sends %s is found', (_, forwarded, address, chain) => {
  expect(visitorOf('10.0.0.1', forwarded, trusted)).toEqual({ address, chain });
});
