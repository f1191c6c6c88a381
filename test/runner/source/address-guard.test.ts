import { expect, test } from 'vitest';
import { guardedAddress } from '../../../runner/source/address-guard.ts';

const rules = { allowPrivate: false, port: 443 };

test('the guard hands out the address it has checked', async () => {
  expect(await guardedAddress('example.com', { ...rules, resolve: async () => ['93.184.216.34'] })).toBe(
    '93.184.216.34',
  );
});

test('the guard refuses a name when only one of its addresses is private', async () => {
  const both = async () => ['93.184.216.34', '10.0.0.1'];
  await expect(guardedAddress('example.com', { ...rules, resolve: both })).rejects.toMatchObject({
    code: 'source_refused',
  });
});

test.each(['2130706433', 'localhost', 'localhost.', '0x7f.1'])(
  'the guard refuses %s, which the system reads as loopback',
  async (host) => {
    await expect(guardedAddress(host, rules)).rejects.toMatchObject({
      code: expect.stringMatching(/^source_(refused|failed)$/),
    });
  },
);

test('the guard lets private addresses through where the operator allows them', async () => {
  expect(await guardedAddress('10.0.0.1', { ...rules, allowPrivate: true })).toBe('10.0.0.1');
});

test('the guard reports that a host was not found', async () => {
  const nothing = async () => [];
  await expect(guardedAddress('gone.example', { ...rules, resolve: nothing })).rejects.toThrow(
    'The host gone.example was not found.',
  );
});

test.each([22, 80, 443])(
  'the guard lets a repository on this host itself through at port %i',
  async (port) => {
    expect(await guardedAddress('140.82.121.3', { ...rules, port, own: ['140.82.121.3'] })).toBe(
      '140.82.121.3',
    );
  },
);

test('the guard refuses every other port of this host itself, under any spelling', async () => {
  const own = { own: ['140.82.121.3'], port: 9000 };
  for (const host of ['140.82.121.3', '::ffff:140.82.121.3']) {
    await expect(guardedAddress(host, { ...rules, ...own })).rejects.toThrow(
      `${host} leads to port 9000 of this host itself, which this host's operator has not allowed (LONGSHORE_ALLOW_PRIVATE=git).`,
    );
  }
  expect(await guardedAddress('140.82.121.3', { ...own, allowPrivate: true })).toBe('140.82.121.3');
  expect(await guardedAddress('140.82.121.4', { ...rules, ...own })).toBe('140.82.121.4');
});
