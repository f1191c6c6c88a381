import { beforeEach, expect, test } from 'vitest';
import { SpaceshipAccount } from '../../../../worker/gateways/dns/spaceship.ts';
import {
  SpaceshipServer,
  spaceshipKey,
  spaceshipSecret,
} from '../../../support/worker/servers/spaceship-server.ts';

let server: SpaceshipServer;
let account: SpaceshipAccount;
const zone = { id: 'example.com', name: 'example.com', isConfirmed: true };
const www = { hostname: 'www.example.com', type: 'A', address: '203.0.113.7' } as const;

beforeEach(() => {
  server = new SpaceshipServer();
  account = accountWith(server.fetch);
});

function accountWith(fetch: (request: Request) => Promise<Response>, apiSecret = spaceshipSecret) {
  const outside = { fetch, pause: async () => {}, timeLimitMs: 50 };
  return new SpaceshipAccount(outside, { apiKey: spaceshipKey, apiSecret });
}

test('the zone of a name is the longest of all domains, on whatever page of the list it is', async () => {
  server.addDomain('b.co.uk');
  for (let number = 0; number < 250; number++) server.addDomain(`other${number}.com`);
  server.addDomain('a.b.co.uk');
  expect(await account.findZone('www.a.b.co.uk')).toEqual({
    id: 'a.b.co.uk',
    name: 'a.b.co.uk',
    isConfirmed: true,
  });
  expect(server.requests).toEqual([0, 100, 200].map((skip) => `GET /domains?take=100&skip=${skip}`));
  expect((await account.findZone('c.b.co.uk'))?.name).toBe('b.co.uk');
  expect(await account.findZone('xb.co.uk')).toBeUndefined();
});

test('the zone of a name is searched for only up to a limit in an account that is larger than a request may read', async () => {
  const endless = accountWith(async () => Response.json({ items: [{ name: 'a.com' }], total: 1_000_000 }));
  await expect(endless.findZone('www.example.com')).rejects.toMatchObject({
    code: 'provider_refused',
    message: expect.stringContaining('more than 2000'),
  });
});

test('a name without records gets one, its time to live left to Spaceship; then nothing more', async () => {
  server.addDomain('example.com', { type: 'A', name: '@', address: '198.51.100.1' });
  expect(await account.pointName(zone, www)).toBe('created');
  const records = server.domains.get('example.com');
  expect(records?.[1]).toEqual({
    type: 'A',
    name: 'www',
    address: '203.0.113.7',
    group: { type: 'custom' },
  });
  const before = structuredClone(records);
  expect(await account.pointName(zone, www)).toBe('unchanged');
  expect(server.domains.get('example.com')).toEqual(before);
});

test('a name with another address has only the new one afterwards, with the time to live it had, and never none', async () => {
  server.addDomain(
    'example.com',
    { type: 'A', name: '@', address: '198.51.100.1', ttl: 600 },
    { type: 'MX', name: '@' },
  );
  const apex = { ...www, hostname: 'example.com' };
  expect(await account.pointName(zone, apex)).toBe('updated');
  expect(server.domains.get('example.com')?.filter(({ type }) => type === 'A')).toEqual([
    { type: 'A', name: '@', address: '203.0.113.7', ttl: 600, group: { type: 'custom' } },
  ]);
  expect(server.domains.get('example.com')?.some(({ type }) => type === 'MX')).toBe(true);
  const writes = server.requests.filter((request) => !request.startsWith('GET'));
  expect(writes).toEqual(['PUT /dns/records/example.com', 'DELETE /dns/records/example.com']);
});

test('if an old address cannot be removed, the error names both addresses', async () => {
  server.addDomain('example.com', { type: 'A', name: 'www', address: '198.51.100.1' });
  const failing = accountWith((request) =>
    request.method === 'DELETE'
      ? Promise.resolve(Response.json({ detail: 'The zone is locked' }, { status: 409 }))
      : server.fetch(request),
  );
  await expect(failing.pointName(zone, www)).rejects.toMatchObject({
    code: 'provider_refused',
    message:
      'www.example.com now has the new address, but also still has 198.51.100.1: remove that one at the provider. Spaceship refused (HTTP 409): The zone is locked.',
  });
});

test('a name that is an alias, has several addresses, or belongs to a product is refused, and nothing changes', async () => {
  server.addDomain(
    'example.com',
    { type: 'CNAME', name: 'www', cname: 'parked.spaceship.net' },
    { type: 'A', name: '@', address: '198.51.100.1', group: { type: 'product' } },
    { type: 'A', name: 'two', address: '198.51.100.1' },
    { type: 'A', name: 'two', address: '203.0.113.7' },
  );
  const pointTo = (hostname: string) => account.pointName(zone, { ...www, hostname });
  const refusal = (text: string) => ({ code: 'conflict', message: expect.stringContaining(text) });
  await expect(pointTo('www.example.com')).rejects.toMatchObject(
    refusal('a CNAME record that points to parked.spaceship.net'),
  );
  await expect(pointTo('example.com')).rejects.toMatchObject(refusal('(group product)'));
  await expect(pointTo('two.example.com')).rejects.toMatchObject(refusal('2 A records'));
  expect(server.requests.every((request) => request.startsWith('GET'))).toBe(true);
});

test('a name that Spaceship does not take is refused with every field it names', async () => {
  server.addDomain('example.com', { type: 'A', name: 'www', address: '198.51.100.1', ttl: 9_999 });
  await expect(account.pointName(zone, www)).rejects.toMatchObject({
    message: 'Spaceship refused (HTTP 422): Validation failed; items[0].ttl: must be from 60 to 3600.',
  });
});

test('credentials are verified by reading domains and records', async () => {
  server.addDomain('example.com');
  await expect(account.verify()).resolves.toBeUndefined();
  await expect(accountWith(server.fetch, 'wrong').verify()).rejects.toMatchObject({
    code: 'provider_refused',
    message: 'Spaceship refused (HTTP 401): Authentication failed.',
  });
});
