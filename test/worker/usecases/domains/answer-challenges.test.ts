/** TXT records for orders of wildcards: who gets one, and that each is removed. */
import { env } from 'cloudflare:workers';
import { beforeEach, expect, test } from 'vitest';
import { protocolVersion } from '../../../../protocol/frames.ts';
import type { HostRequest } from '../../../../protocol/host-request.ts';
import { createDnsProviders } from '../../../../worker/gateways/dns/index.ts';
import { domains } from '../../../../worker/store/schema/domains.ts';
import { answerChallenges, sweepChallenges } from '../../../../worker/usecases/domains/answer-challenges.ts';
import {
  createClient,
  deps,
  insertProject,
  insertRunner,
  insertService,
  insertTenant,
  operatorToken,
} from '../../../support/worker/api.ts';
import { connectedHost, noCertificate, see } from '../../../support/worker/domains.ts';
import { CloudflareServer, cloudflareToken } from '../../../support/worker/servers/cloudflare-server.ts';

let cloudflare: CloudflareServer;
let answers: Extract<HostRequest, { op: 'challenge-answer' }>[];
let isDown = false;
const dns = createDnsProviders(
  {
    fetch: (request) =>
      isDown ? Promise.reject(new TypeError('the network is down')) : cloudflare.fetch(request),
    pause: async () => {},
    timeLimitMs: 1_000,
  },
  () => Promise.reject(new Error('Namecheap is not called here.')),
);
const call = createClient();
const value = (letter: string) => letter.repeat(43);
const hubs = {
  ...deps.hubs,
  request: async (_runnerId: string, request: HostRequest) => {
    if (request.op === 'challenge-answer') answers.push(request);
    return { ok: true as const, value: null };
  },
};

const connect = () =>
  call('POST', '/api/system/dns-providers', {
    token: operatorToken,
    body: { id: 'cloudflare', credentials: { apiToken: cloudflareToken }, verify: false },
  });

beforeEach(async () => {
  cloudflare = new CloudflareServer();
  [answers, isDown] = [[], false];
  await env.DB.batch(
    ['challenge_records', 'domains', 'dns_providers'].map((table) => env.DB.prepare(`delete from ${table}`)),
  );
});

let count = 0;
/** A verified wildcard of a service. */
async function wildcard(hostname = '*.example.com', tenantId = 'default') {
  const runner = await insertRunner();
  const project = await insertProject({ tenantId });
  const service = await insertService({ projectId: project.id, runnerId: runner.id });
  const id = `dom_${String(++count).padStart(16, '0')}`;
  const times = { createdAt: 0, updatedAt: 0 };
  await deps.db
    .insert(domains)
    .values({ id, serviceId: service.id, hostname, isVerified: true, status: 'active', ...times });
  const report = (challenge?: string, at = hostname) =>
    answerChallenges({ ...deps, dns, hubs }, runner.id, [
      { hostname: at, dns: 'here', detail: '', certificate: noCertificate, ...(challenge && { challenge }) },
    ]);
  return { report, serviceId: service.id };
}

const held = () =>
  cloudflare.records.filter(({ type }) => type === 'TXT').map(({ name, content }) => [name, content]);
const rows = async () => (await env.DB.prepare('select value from challenge_records').all()).results.length;
const sweep = (inMs = 0) => sweepChallenges({ ...deps, dns, now: () => deps.now() + inMs });
const hourMs = 3_600_000;

test('the record that a host wants is made beside others, and removed when the host no longer wants it', async () => {
  await connect();
  const zone = cloudflare.addZone('example.com');
  cloudflare.addRecord(zone, { type: 'TXT', name: '_acme-challenge.example.com', content: '"by hand"' });
  const { report } = await wildcard();
  await report(value('a'));
  await report(value('a'));
  expect(answers.map(({ ok, value: told }) => [ok, told])).toEqual([
    [true, value('a')],
    [true, value('a')],
  ]);
  const name = '_acme-challenge.example.com';
  expect(held()).toEqual([
    [name, '"by hand"'],
    [name, `"${value('a')}"`],
  ]);
  await sweep();
  expect(held()).toHaveLength(2);
  // The next order has another value: one for each order.
  await report(value('b'));
  expect(held()).toEqual([
    [name, '"by hand"'],
    [name, `"${value('b')}"`],
  ]);
  await report();
  expect([held(), await rows()]).toEqual([[[name, '"by hand"']], 0]);
});

test('a record whose removal failed, or whose host is never heard of again, is removed by cron', async () => {
  await connect();
  cloudflare.addZone('example.com');
  const { report } = await wildcard();
  await report(value('a'));
  isDown = true;
  await report();
  expect([held().length, await rows()]).toEqual([1, 1]);
  isDown = false;
  await sweep();
  expect(held()).toHaveLength(1);
  await sweep(hourMs / 2);
  expect([held(), await rows()]).toEqual([[], 0]);
  await report(value('b'));
  await sweep(hourMs / 2);
  expect(held()).toHaveLength(1);
  await sweep(2 * hourMs);
  expect([held(), await rows()]).toEqual([[], 0]);
});

test('the host that a service moves to gets a record before it reports the end of the move', async () => {
  await connect();
  cloudflare.addZone('example.com');
  const { serviceId } = await wildcard();
  const { id } = await insertRunner();
  const report = () =>
    answerChallenges({ ...deps, dns, hubs }, id, [
      {
        hostname: '*.example.com',
        dns: 'here',
        detail: '',
        certificate: noCertificate,
        challenge: value('a'),
      },
    ]);
  await report();
  expect(answers.map(({ ok, detail }) => [ok, detail])).toEqual([
    [false, '*.example.com is no domain of this host.'],
  ]);
  await env.DB.prepare('update services set next_runner_id = ? where id = ?').bind(id, serviceId).run();
  await report();
  await sweep();
  expect([answers[1]?.ok, held().length]).toEqual([true, 1]);
});

test('a record whose name was deleted or moved to another host in the middle of an order is removed by cron', async () => {
  await connect();
  cloudflare.addZone('example.com');
  const deleted = await wildcard('*.deleted.example.com');
  await deleted.report(value('a'));
  const moved = await wildcard('*.moved.example.com');
  await moved.report(value('b'));
  await sweep();
  expect(held()).toHaveLength(2);
  await env.DB.prepare("delete from domains where hostname = '*.deleted.example.com'").run();
  await sweep();
  expect(held().map(([name]) => name)).toEqual(['_acme-challenge.moved.example.com']);
  const { id } = await insertRunner();
  await env.DB.prepare('update services set runner_id = ? where id = ?').bind(id, moved.serviceId).run();
  await sweep();
  expect([held(), await rows()]).toEqual([[], 0]);
});

test.each([
  ['no provider is connected', async () => {}, 'No DNS provider is connected'],
  ['no account has the zone', connect, 'No connected DNS provider has the zone of example.com'],
  [
    'the zone is not confirmed',
    async () => {
      await connect();
      cloudflare.addZone('example.com', 'pending');
    },
    'No connected DNS provider has the zone of example.com',
  ],
  [
    'the name is an alias',
    async () => {
      await connect();
      const zone = cloudflare.addZone('example.com');
      const name = '_acme-challenge.example.com';
      cloudflare.addRecord(zone, { type: 'CNAME', name, content: 'elsewhere.net' });
    },
    'remove it at the provider',
  ],
  [
    'the provider does not answer',
    async () => {
      await connect();
      isDown = true;
    },
    'could not be made: ',
  ],
])('a host is told why there is no record: %s', async (_why, prepare, part) => {
  await prepare();
  const { report } = await wildcard();
  await report(value('a'));
  expect(answers).toMatchObject([{ ok: false, detail: expect.stringContaining(part) }]);
  expect(held()).toEqual([]);
});

test('a host gets records for its own wildcards only, and no tenant gets one in the zones of the operator', async () => {
  await connect();
  cloudflare.addZone('example.com');
  const { report } = await wildcard();
  await report(value('a'), '*.other.example.com');
  const customer = await wildcard('*.shop.example.com', await insertTenant('customer'));
  await customer.report(value('b'));
  expect(answers.map(({ ok, detail }) => [ok, detail])).toEqual([
    [false, '*.other.example.com is no domain of this host.'],
    [false, expect.stringContaining('give the domain one of your own')],
  ]);
  expect(held()).toEqual([]);
});

test('a host that reports a wish over its connection is answered over it; one that is no hash is dropped', async () => {
  const { runner } = await connectedHost();
  see(runner, { hostname: '*.hub.example.com', challenge: 'v=spf1 include:evil.example -all' });
  see(runner, { hostname: '*.hub.example.com', challenge: value('c') });
  const { id, ask } = await runner.next('request');
  expect(ask).toMatchObject({
    op: 'challenge-answer',
    hostname: '*.hub.example.com',
    value: value('c'),
    ok: false,
  });
  runner.send({ v: protocolVersion, type: 'response', id, outcome: { ok: true, value: null } });
});
