import { expect, test } from 'vitest';
import { credentialFields, dnsCredentialSchemas } from '../../../../worker/domain/domains/dns-providers.ts';
import {
  nameBelow,
  planRecord,
  publicAddressRecord,
  zoneCandidates,
  zoneOf,
} from '../../../../worker/domain/domains/dns-records.ts';

const named = (...names: string[]) => names.map((name) => ({ name }));
const wanted = { type: 'A', address: '203.0.113.7' } as const;

test('the longest zone that contains the name wins in any case, and a similar ending does not count', () => {
  const zones = named('co.uk', 'Example.co.uk', 'b.example.co.uk');
  expect(zoneOf('a.b.example.co.uk', zones)?.name).toBe('b.example.co.uk');
  expect(zoneOf('a.example.co.uk', zones)?.name).toBe('Example.co.uk');
  expect(zoneOf('badexample.co.uk', named('example.co.uk'))).toBeUndefined();
  expect(zoneOf('example.co', named('example.co.uk'))).toBeUndefined();
});

test('a zone is searched from the name itself up to the level below the top', () => {
  expect(zoneCandidates('a.b.co.uk')).toEqual(['a.b.co.uk', 'b.co.uk', 'co.uk']);
});

test('the part below the zone is what its records are named by', () => {
  expect(nameBelow('a.b.example.com', 'example.com')).toBe('a.b');
  expect(nameBelow('example.com', 'Example.com')).toBe('@');
});

test.each([
  ['203.0.113.7', 'A', '203.0.113.7'],
  ['8.8.8.8', 'A', '8.8.8.8'],
  ['2606:4700:0:0::1', 'AAAA', '2606:4700::1'],
  ['::ffff:8.8.8.8', 'A', '8.8.8.8'],
])('%s is a public address: %s %s', (given, type, address) => {
  expect(publicAddressRecord(given)).toEqual({ type, address });
});

test.each([
  '127.0.0.1',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.1.1',
  '100.64.0.1',
  '0.0.0.0',
  '224.0.0.1',
  '255.255.255.255',
  '::1',
  '::',
  'fe80::1',
  'fd00::1',
  'ff02::1',
  '::ffff:192.168.1.1',
])('%s is not a public address, and the sentence says which setting to change', (address) => {
  expect(() => publicAddressRecord(address)).toThrow(/public internet.*set "publicIp"/);
});

test.each(['CNAME', 'cname', 'ALIAS', 'URL', 'URL301', 'FRAME'])(
  'a record set with %s is never replaced',
  (type) => {
    const held = [{ type, content: 'x.example.net' }];
    expect(() => planRecord('www.example.com', held, wanted)).toThrow(
      `has a ${type} record that points to x.example.net`,
    );
  },
);

test('records of other types do not matter', () => {
  const held = ['MX', 'TXT', 'AAAA', 'CAA'].map((type) => ({ type, content: 'x' }));
  expect(planRecord('example.com', held, wanted)).toEqual({ action: 'created' });
});

test('a record set is shown as one line, however it was written', () => {
  const held = [{ type: 'CNAME', content: `a\r\nSet-Cookie: x\u001b[31m${'y'.repeat(500)}` }];
  const refusal = () => planRecord('www.example.com', held, wanted);
  expect(refusal).toThrow(
    /^www\.example\.com has a CNAME record that points to a Set-Cookie: x \[31my+: remove it/,
  );
});

test('credentials are described field by field: what is needed, and what is never shown again', () => {
  const fields = credentialFields('namecheap');
  const names = (chosen: typeof fields) => chosen.map(({ name }) => name);
  expect(names(fields)).toEqual(['apiUser', 'apiKey', 'userName', 'runnerId', 'clientIp']);
  expect(names(fields.filter(({ required }) => required))).toEqual(['apiUser', 'apiKey']);
  expect(names(fields.filter(({ secret }) => secret))).toEqual(['apiKey']);
  expect(fields.every(({ description }) => description.length > 20)).toBe(true);
  expect(names(credentialFields('spaceship').filter(({ secret }) => secret))).toEqual([
    'apiKey',
    'apiSecret',
  ]);
});

test.each(['a\r\nX-Other: 1', 'a b', '', 'ü', 'x'.repeat(501)])(
  '%j is not accepted as a credential',
  (apiToken) => {
    expect(dnsCredentialSchemas.cloudflare.safeParse({ apiToken }).success).toBe(false);
  },
);
