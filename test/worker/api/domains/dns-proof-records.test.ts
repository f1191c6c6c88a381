/** On an instance with several tenants, a connected DNS account verifies names of the tenant that owns it, and of no other. */
import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createDependencies } from '../../../../worker/context.ts';
import { createDnsProviders } from '../../../../worker/gateways/dns/index.ts';
import { domains } from '../../../../worker/store/schema/domains.ts';
import { findNamecheapHost } from '../../../../worker/usecases/domains/find-namecheap-host.ts';
import { sweepProofRecords } from '../../../../worker/usecases/domains/sweep-proof-records.ts';
import {
  createClient,
  deps,
  insertKey,
  insertProject,
  insertService,
  insertTenant,
  operatorToken,
} from '../../../support/worker/api.ts';
import { newHost } from '../../../support/worker/host.ts';
import { CloudflareServer, cloudflareToken } from '../../../support/worker/servers/cloudflare-server.ts';

let cloudflare: CloudflareServer;
const dns = createDnsProviders(
  { fetch: (request) => cloudflare.fetch(request), pause: async () => {}, timeLimitMs: 1_000 },
  () => Promise.reject(new Error('Namecheap is not called here.')),
);
const call = createClient({ dependenciesOf: (bindings) => ({ ...createDependencies(bindings), dns }) });

let operator: Tenant;
let customer: Tenant;
type Tenant = Awaited<ReturnType<typeof newTenant>>;
let count = 0;

async function newTenant(tenantId: string, runnerId: string) {
  const project = await insertProject({ tenantId });
  const service = await insertService({ projectId: project.id, runnerId });
  const { token } = await insertKey({ tenantId });
  const path = `/api/services/${service.id}/domains`;
  return {
    service,
    token,
    /** A domain that waits for its proof. */
    async addDomain(hostname: string): Promise<string> {
      const id = `dom_${String(++count).padStart(16, '0')}`;
      const row = { id, serviceId: service.id, hostname, isVerified: false, status: 'pending' } as const;
      await deps.db.insert(domains).values({ ...row, createdAt: 0, updatedAt: 0 });
      return id;
    },
    setUp: (domainId: string) =>
      call('POST', `${path}/${domainId}/dns-records`, { token, body: { providerId: 'cloudflare' } }),
  };
}

beforeAll(async () => {
  const { runnerId } = await newHost({ shared: true });
  operator = await newTenant('default', runnerId);
  customer = await newTenant(await insertTenant('customer'), runnerId);
  await call('POST', '/api/system/dns-providers', {
    token: operatorToken,
    body: { id: 'cloudflare', credentials: { apiToken: cloudflareToken }, verify: false },
  });
});

beforeEach(async () => {
  cloudflare = new CloudflareServer();
  await env.DB.batch(
    ['proof_records', 'domains', 'deleted_rows', 'deletions'].map((table) =>
      env.DB.prepare(`delete from ${table}`),
    ),
  );
});

const txtRecords = () => cloudflare.records.filter(({ type }) => type === 'TXT');
const sweep = (now = deps.now()) => sweepProofRecords({ ...deps, dns, now: () => now });

test("the TXT record of the account owner's domain is made, shown, kept with the domain, and removed after it", async () => {
  const zone = cloudflare.addZone('example.com');
  cloudflare.addRecord(zone, { type: 'TXT', name: '_longshore.shop.example.com', content: '"by hand"' });
  const id = await operator.addDomain('shop.example.com');
  const { status, body } = await operator.setUp(id);
  expect(status).toBe(200);
  expect(body.verificationRecord).toEqual({
    recordType: 'TXT',
    name: '_longshore.shop.example.com',
    value: expect.stringMatching(/^longshore=.{16,}/),
    action: 'created',
    detail: null,
  });
  expect(body.domain).not.toHaveProperty('proof');
  const written = `"${body.verificationRecord.value}"`;
  expect(txtRecords().map(({ content }) => content)).toEqual(['"by hand"', written]);
  expect((await operator.setUp(id)).body.verificationRecord.action).toBe('unchanged');
  await sweep();
  expect(txtRecords()).toHaveLength(2);
  // A deleted service can be restored with its domains, so the record stays until it can't.
  const key = { token: operator.token };
  expect((await call('DELETE', `/api/services/${operator.service.id}`, key)).status).toBe(200);
  await sweep();
  expect(txtRecords()).toHaveLength(2);
  await call('POST', `/api/services/${operator.service.id}/restore`, key);
  await call('DELETE', `/api/services/${operator.service.id}/domains/${id}`, key);
  await sweep();
  expect(txtRecords().map(({ content }) => content)).toEqual(['"by hand"']);
  expect(await env.DB.prepare('select 1 from proof_records').all()).toMatchObject({ results: [] });
});

test('a TXT record that was there before is never removed', async () => {
  const zone = cloudflare.addZone('example.com');
  const id = await operator.addDomain('shop.example.com');
  const { value } = (await operator.setUp(id)).body.verificationRecord;
  cloudflare.records = [];
  await env.DB.exec('delete from proof_records');
  cloudflare.addRecord(zone, { type: 'TXT', name: '_longshore.shop.example.com', content: value });
  expect((await operator.setUp(id)).body.verificationRecord.action).toBe('unchanged');
  await env.DB.exec('delete from domains');
  await sweep();
  expect(txtRecords()).toHaveLength(1);
});

test('a provider that refuses the removal is asked again an hour later', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  cloudflare.addZone('example.com');
  await operator.setUp(await operator.addDomain('shop.example.com'));
  await env.DB.exec('delete from domains');
  const { fetch } = cloudflare;
  let calls = 0;
  Object.assign(cloudflare, {
    fetch: async () => {
      calls += 1;
      return new Response(null, { status: 403 });
    },
  });
  await sweep();
  await sweep(deps.now() + 3_500_000);
  expect(calls).toBe(1);
  Object.assign(cloudflare, { fetch });
  await sweep(deps.now() + 3_700_000);
  expect(txtRecords()).toEqual([]);
});

test('a TXT record that can not be made is answered with the reason; the zone verifies the name', async () => {
  const zone = cloudflare.addZone('example.com');
  cloudflare.addRecord(zone, {
    type: 'CNAME',
    name: '_longshore.shop.example.com',
    content: 'x.example.net',
  });
  const { status, body } = await operator.setUp(await operator.addDomain('shop.example.com'));
  expect([status, body.result.action, body.verificationRecord.action]).toEqual([200, 'created', 'failed']);
  expect(body.verificationRecord.detail).toContain('has a CNAME record that points to x.example.net');
  expect(body.domain).not.toHaveProperty('proof');
});

test("a zone that Cloudflare has not confirmed verifies nothing: anybody can add a zone of somebody else's domain", async () => {
  cloudflare.addZone('victim.com', 'pending');
  const id = await operator.addDomain('shop.victim.com');
  const { status, body } = await operator.setUp(id);
  expect([status, body.verificationRecord.action]).toEqual([200, 'created']);
  expect(body.domain.proof).toMatchObject({ recordType: 'TXT', value: body.verificationRecord.value });
  const { results } = await env.DB.prepare('select is_proven as isVerified from domains').all();
  expect(results).toEqual([{ isVerified: 0 }]);
});

test("another tenant gets no name in the operator's zone, and no record of its own is written there", async () => {
  const zone = cloudflare.addZone('example.com');
  const hostname = 'mail.example.com';
  const theirs = await customer.addDomain(hostname);
  // The operator's own proof of the name, or of the whole domain, is none for the customer.
  await operator.setUp(await operator.addDomain('www.example.com'));
  const before = structuredClone(cloudflare.records);
  for (const attempt of [1, 2]) {
    const { status, body } = await customer.setUp(theirs);
    expect([attempt, status, body.code]).toEqual([attempt, 409, 'conflict']);
  }
  expect(cloudflare.records).toEqual(before);
  // A verified name of theirs in this zone is pointed, but gets no TXT record by the operator's credentials.
  await env.DB.prepare('update domains set is_proven = 1 where id = ?').bind(theirs).run();
  const pointed = await customer.setUp(theirs);
  expect([pointed.status, pointed.body.result.action]).toEqual([200, 'created']);
  expect(pointed.body).not.toHaveProperty('verificationRecord');
  expect(
    cloudflare.records.filter(({ zoneId, name }) => zoneId === zone.id && name.includes('mail')),
  ).toMatchObject([{ type: 'A', name: hostname }]);
});

test("the operator's Namecheap credentials are not sent to another tenant's host", async () => {
  const { runnerId } = await newHost({ tenantId: await insertTenant('hostile') });
  await env.DB.prepare('update runners set created_at = 0, connected_at = 1 where id = ?')
    .bind(runnerId)
    .run();
  await env.DB.prepare('update runners set connected_at = null where id <> ?').bind(runnerId).run();
  const credentials = { apiUser: 'owner', apiKey: 'nc-canary' };
  await expect(findNamecheapHost(deps, credentials)).rejects.toMatchObject({ code: 'runner_offline' });
  expect((await findNamecheapHost(deps, { ...credentials, runnerId })).clientIp).toBe('203.0.113.7');
});
