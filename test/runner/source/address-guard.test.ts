import { describe, expect, test } from 'vitest';
import { guardedAddress, isPublic } from '../../../runner/source/address-guard.ts';

describe('only addresses of the public internet are public', () => {
  test.each(['140.82.121.3', '2606:4700::6810:84e5', '::ffff:140.82.121.3'])(
    '%s is a public address',
    (address) => {
      expect(isPublic(address)).toBe(true);
    },
  );

  test.each([
    ['loopback', '127.0.0.1'],
    ['loopback', '::1'],
    ['private', '10.1.2.3'],
    ['private', '172.17.0.1'],
    ['private', '192.168.0.1'],
    ['link-local and metadata', '169.254.169.254'],
    ['mapped metadata', '::ffff:169.254.169.254'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['unique local', 'fd00::1'],
    ['link-local', 'fe80::1'],
    ['unspecified', '0.0.0.0'],
    ['unspecified', '::'],
    ['NAT64 of a private one', '64:ff9b::a01:203'],
    ['6to4 of a private one', '2002:0a01:0203::1'],
    ['multicast', '224.0.0.1'],
  ])('%s (%s) is not a public address', (_, address) => {
    expect(isPublic(address)).toBe(false);
  });
});

describe('the guard', () => {
  test('the guard hands out the address it has checked', async () => {
    expect(await guardedAddress('example.com', false, async () => ['93.184.216.34'])).toBe('93.184.216.34');
  });

  test('the guard refuses a name when only one of its addresses is private', async () => {
    const both = async () => ['93.184.216.34', '10.0.0.1'];
    await expect(guardedAddress('example.com', false, both)).rejects.toMatchObject({
      code: 'source_refused',
    });
  });

  test.each(['2130706433', 'localhost', 'localhost.', '0x7f.1'])(
    'the guard refuses %s, which the system reads as loopback',
    async (host) => {
      await expect(guardedAddress(host, false)).rejects.toMatchObject({
        code: expect.stringMatching(/^source_(refused|failed)$/),
      });
    },
  );

  test('the guard lets private addresses through where the operator allows them', async () => {
    expect(await guardedAddress('10.0.0.1', true)).toBe('10.0.0.1');
  });

  test('the guard says that a host was not found', async () => {
    const nothing = async () => [];
    await expect(guardedAddress('gone.example', true, nothing)).rejects.toThrow(
      'The host gone.example was not found.',
    );
  });
});
