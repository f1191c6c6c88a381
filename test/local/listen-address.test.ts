import { expect, test } from 'vitest';
import { privateAddress } from '../../local/listen-address.ts';

test.each(['10.0.0.2', '172.16.5.1', '192.168.1.1', '100.64.0.7', 'fd00::2', 'fe80::1'])(
  'the API listens at %s, an address of a private network',
  (address) => {
    expect(privateAddress(address)).toBe(address);
  },
);

test.each(['203.0.113.9', '8.8.8.8', '172.32.0.1', '2001:db8::1', '0.0.0.0', '::'])(
  'plain http is refused at %s, and the error names the way out',
  (address) => {
    expect(() => privateAddress(address)).toThrow(/plain http.*docs\/operate\/reverse-proxy\.md/s);
  },
);

test.each(['server.local', '', '10.0.0', '127.0.0.1', '::1'])(
  '"%s" is no address for other machines',
  (text) => {
    expect(() => privateAddress(text)).toThrow(/--listen/);
  },
);
