import { beforeEach, expect, test } from 'vitest';
import { CloudflareAccount } from '../../../../worker/gateways/dns/cloudflare.ts';
import type { DnsZone } from '../../../../worker/gateways/dns/index.ts';
import {
  CloudflareServer,
  type CloudflareZone,
  cloudflareToken,
} from '../../../support/worker/servers/cloudflare-server.ts';

let server: CloudflareServer;
let account: CloudflareAccount;
const wanted = { type: 'A', address: '203.0.113.7' } as const;

beforeEach(() => {
  server = new CloudflareServer();
  account = accountWith(server.fetch);
});

function accountWith(fetch: (request: Request) => Promise<Response>, apiToken = cloudflareToken) {
  return new CloudflareAccount({ fetch, pause: async () => {}, timeLimitMs: 50 }, { apiToken });
}

const dnsZone = ({ id, name, status }: CloudflareZone): DnsZone => ({
  id,
  name,
  isConfirmed: status === 'active',
});

test('the zone of a name is the longest that the account has, found by two or three questions', async () => {
  for (let number = 0; number < 200; number++) server.addZone(`other${number}.com`);
  server.addZone('b.co.uk');
  const nested = server.addZone('a.b.co.uk');
  expect(await account.findZone('www.a.b.co.uk')).toEqual(dnsZone(nested));
  expect(server.requests).toEqual(['GET /zones?name=www.a.b.co.uk', 'GET /zones?name=a.b.co.uk']);
  expect((await account.findZone('c.b.co.uk'))?.name).toBe('b.co.uk');
  expect((await account.findZone('b.co.uk'))?.name).toBe('b.co.uk');
  expect(await account.findZone('xb.co.uk')).toBeUndefined();
});

test('the zone of a name is the one that answers for the name, when two accounts hold it', async () => {
  server.addZone('example.com', 'pending');
  const active = server.addZone('example.com');
  expect(await account.findZone('www.example.com')).toEqual(dnsZone(active));
});

test('the zone of a name is found by its ASCII name, when it is listed in Unicode', async () => {
  const unicode = accountWith(async () =>
    Response.json({ success: true, errors: [], messages: [], result: [{ id: 'z', name: 'müller.de' }] }),
  );
  expect(await unicode.findZone('www.xn--mller-kva.de')).toEqual({
    id: 'z',
    name: 'xn--mller-kva.de',
    isConfirmed: false,
  });
});

test('a hostile name stays a value of its parameter', async () => {
  const name = 'x&name=y/../../user?#\\r\\n.example.com';
  expect(await account.findZone(name)).toBeUndefined();
  server.addZone('example.com');
  await account
    .pointName(
      { id: '../../user/tokens', name: 'example.com', isConfirmed: true },
      { hostname: name, ...wanted },
    )
    .catch(() => {});
  const paths = server.requests.map((request) => request.split('?')[0]);
  expect(new Set(paths)).toEqual(new Set(['GET /zones', 'GET /zones/..%2F..%2Fuser%2Ftokens/dns_records']));
  const first = new URL(`http://x${server.requests[0]?.slice('GET '.length)}`);
  expect([...first.searchParams]).toEqual([['name', name]]);
});

test('a name without records gets one that is not proxied, its time to live left to Cloudflare', async () => {
  const zone = server.addZone('example.com');
  server.addRecord(zone, { type: 'MX', content: 'mail.example.com' });
  expect(await account.pointName(dnsZone(zone), { hostname: 'www.example.com', ...wanted })).toBe('created');
  expect(server.records.at(-1)).toMatchObject({
    type: 'A',
    name: 'www.example.com',
    content: '203.0.113.7',
    ttl: 1,
    proxied: false,
  });
  expect(await account.pointName(dnsZone(zone), { hostname: 'www.example.com', ...wanted })).toBe(
    'unchanged',
  );
  expect(server.records).toHaveLength(2);
});

test('a name with another address gets the new one, and keeps what somebody chose: proxy, time to live, comment', async () => {
  const zone = server.addZone('example.com');
  const record = server.addRecord(zone, { ttl: 600, proxied: true, comment: 'do not touch' });
  expect(await account.pointName(dnsZone(zone), { hostname: 'example.com', ...wanted })).toBe('updated');
  expect(server.records).toEqual([{ ...record, content: '203.0.113.7' }]);
  expect(record).toMatchObject({ ttl: 600, proxied: true, comment: 'do not touch' });
});

test('a name gets an AAAA record beside its A record for an IPv6 address, whose spelling does not matter', async () => {
  const zone = server.addZone('example.com');
  server.addRecord(zone, {});
  const name = { hostname: 'example.com', type: 'AAAA', address: '2001:db8::1' } as const;
  expect(await account.pointName(dnsZone(zone), name)).toBe('created');
  Object.assign(server.records[1] ?? {}, { content: '2001:0DB8:0:0::0001' });
  expect(await account.pointName(dnsZone(zone), name)).toBe('unchanged');
  expect(server.records.map(({ type }) => type)).toEqual(['A', 'AAAA']);
});

test('a name that is an alias, or has several addresses, is refused by what is there, and nothing changes', async () => {
  const zone = server.addZone('example.com');
  server.addRecord(zone, { name: 'www.example.com', type: 'CNAME', content: 'shop.example.net' });
  server.addRecord(zone, { content: '198.51.100.1' });
  server.addRecord(zone, { content: '203.0.113.7' });
  const before = structuredClone(server.records);
  await expect(
    account.pointName(dnsZone(zone), { hostname: 'www.example.com', ...wanted }),
  ).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining(
      'www.example.com has a CNAME record that points to shop.example.net: remove it',
    ),
  });
  await expect(
    account.pointName(dnsZone(zone), { hostname: 'example.com', ...wanted }),
  ).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('2 A records (198.51.100.1, 203.0.113.7): keep only one'),
  });
  expect(server.records).toEqual(before);
});

test('credentials that read zones and records are good', async () => {
  server.addZone('example.com');
  await expect(account.verify()).resolves.toBeUndefined();
});

test('credentials that see no zone are refused with the permissions that are missing', async () => {
  await expect(account.verify()).rejects.toMatchObject({
    code: 'provider_refused',
    message: expect.stringContaining('Zone:Read and DNS:Edit'),
  });
});

test('credentials that are wrong are refused in the words of Cloudflare', async () => {
  await expect(accountWith(server.fetch, 'wrong').verify()).rejects.toMatchObject({
    code: 'provider_refused',
    status: 409,
    message: 'Cloudflare refused (HTTP 403): Invalid access token.',
  });
});

test('credentials are in no message, whatever the provider answers', async () => {
  const echo = accountWith(async (request) =>
    Response.json(
      {
        success: false,
        errors: [
          {
            code: 6003,
            message: 'Invalid request headers',
            error_chain: [
              { code: 6111, message: `Invalid format:\n ${request.headers.get('authorization')}` },
            ],
          },
        ],
      },
      { status: 400 },
    ),
  );
  await expect(echo.verify()).rejects.toMatchObject({
    message: 'Cloudflare refused (HTTP 400): Invalid request headers: Invalid format: Bearer ***.',
  });
});
