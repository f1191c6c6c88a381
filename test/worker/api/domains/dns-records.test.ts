/** @module-tag slow */
import { env } from 'cloudflare:workers';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type HubFrameOf, protocolVersion } from '../../../../protocol/frames.ts';
import {
  type NamecheapAnswer,
  type NamecheapRequest,
  namecheapRequestSchema,
} from '../../../../protocol/namecheap.ts';
import { requestPlace } from '../../../../protocol/sealed-box.ts';
import { createDependencies } from '../../../../worker/context.ts';
import { createDnsProviders } from '../../../../worker/gateways/dns/index.ts';
import { domains } from '../../../../worker/store/schema/domains.ts';
import { findNamecheapHost } from '../../../../worker/usecases/domains/find-namecheap-host.ts';
import {
  createClient,
  deps,
  insertKey,
  insertProject,
  insertService,
  insertTenant,
  operatorToken,
} from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost, type TestHost } from '../../../support/worker/host.ts';
import { CloudflareServer, cloudflareToken } from '../../../support/worker/servers/cloudflare-server.ts';
import {
  SpaceshipServer,
  spaceshipKey,
  spaceshipSecret,
} from '../../../support/worker/servers/spaceship-server.ts';

let cloudflare: CloudflareServer;
let spaceship: SpaceshipServer;
const call = createClient({
  dependenciesOf: (bindings) => {
    const own = createDependencies(bindings);
    const fetch = (request: Request) =>
      request.url.startsWith('https://spaceship.dev') ? spaceship.fetch(request) : cloudflare.fetch(request);
    const outside = { fetch, pause: async () => {}, timeLimitMs: 1_000 };
    return { ...own, dns: createDnsProviders(outside, (credentials) => findNamecheapHost(own, credentials)) };
  },
});
const credentials = {
  cloudflare: { apiToken: cloudflareToken },
  spaceship: { apiKey: spaceshipKey, apiSecret: spaceshipSecret },
  namecheap: { apiUser: 'owner', apiKey: 'nc-canary' },
};

let host: TestHost;
let token: string;
let service: Awaited<ReturnType<typeof insertService>>;

beforeAll(async () => {
  host = await newHost();
  service = await host.addService();
  token = (await insertKey()).token;
});

beforeEach(async () => {
  cloudflare = new CloudflareServer();
  spaceship = new SpaceshipServer();
  await env.DB.batch(
    ['dns_providers', 'domains', 'settings'].map((table) => env.DB.prepare(`delete from ${table}`)),
  );
  for (const [id, given] of Object.entries(credentials)) await connect(id, given);
});

const connect = (id: string, given: object) =>
  call('POST', '/api/system/dns-providers', {
    token: operatorToken,
    body: { id, credentials: given, verify: false },
  });
const set = (settings: object) =>
  call('PATCH', '/api/system/settings', { token: operatorToken, body: settings });

async function addDomain(hostname: string): Promise<string> {
  const id = `dom_${hostname.replaceAll('.', '').padEnd(16, 'x').slice(0, 16)}`;
  const row = { id, serviceId: service.id, hostname, status: 'pending', createdAt: 0, updatedAt: 0 } as const;
  await deps.db.insert(domains).values(row);
  return id;
}

async function tasks() {
  const { results } = await env.DB.prepare(
    `select task ->> 'kind' as kind, task ->> 'serviceId' as serviceId, task ->> 'names' as names, task ->> 'changed' as changed
     from host_tasks where state = 'pending'`,
  ).all();
  return results;
}

async function createRecord(
  hostname: string,
  providerId?: string,
  more: { replace?: boolean; as?: string } = {},
) {
  const domainId = await addDomain(hostname);
  return call('POST', `/api/services/${service.id}/domains/${domainId}/dns-records`, {
    token: more.as ?? token,
    body: { providerId, ...(more.replace ? { replace: true } : {}) },
  });
}

describe('a DNS record for a domain', () => {
  test('a DNS record for a domain is made at the provider that was named, and answered field by field', async () => {
    const zone = cloudflare.addZone('example.com');
    const { status, body } = await createRecord('www.shop.example.com', 'cloudflare');
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: true,
      result: {
        provider: 'cloudflare',
        providerName: 'Cloudflare',
        action: 'created',
        hostname: 'www.shop.example.com',
        recordType: 'A',
        host: 'www.shop',
        zone: 'example.com',
        targetIp: '203.0.113.7',
      },
      domain: expect.objectContaining({
        id: expect.stringMatching(/^dom_/),
        serviceId: service.id,
        hostname: 'www.shop.example.com',
        status: 'pending',
        createdAt: '1970-01-01T00:00:00.000Z',
        updatedAt: '1970-01-01T00:00:00.000Z',
      }),
    });
    expect(cloudflare.records).toMatchObject([
      { zoneId: zone.id, name: 'www.shop.example.com', content: '203.0.113.7' },
    ]);
    // The host looks at its DNS now, not at its next time.
    expect(await tasks()).toEqual([
      {
        kind: 'set-hostnames',
        serviceId: service.id,
        names: expect.stringContaining('www.shop'),
        changed: '[]',
      },
    ]);
  });

  test('a DNS record for a domain is updated or unchanged where there is one, for the zone itself too, at what the setting says', async () => {
    spaceship.addDomain('example.org', { type: 'A', name: '@', address: '198.51.100.1' });
    await set({ publicIp: '2001:db8::7' });
    const refused = await createRecord('example.org', 'spaceship');
    expect([refused.status, refused.body.error]).toEqual([409, expect.stringContaining('198.51.100.1')]);
    await env.DB.exec('delete from domains');
    const v6 = await createRecord('example.org', 'spaceship', { replace: true });
    expect(v6.body.result).toMatchObject({
      action: 'created',
      recordType: 'AAAA',
      host: '@',
      targetIp: '2001:db8::7',
    });
    await set({ publicIp: '198.51.100.2' });
    await env.DB.exec('delete from domains');
    const v4 = await createRecord('example.org', 'spaceship', { replace: true });
    expect(v4.body.result).toMatchObject({ action: 'updated', recordType: 'A', targetIp: '198.51.100.2' });
    await env.DB.exec('delete from domains');
    await env.DB.exec('delete from host_tasks');
    expect((await createRecord('example.org', 'spaceship')).body.result.action).toBe('unchanged');
    expect(await tasks()).toEqual([]);
    expect(spaceship.domains.get('example.org')?.map(({ address }) => address)).toEqual([
      '2001:db8::7',
      '198.51.100.2',
    ]);
  });

  test('a record that somebody else made for another machine is changed only with "replace" by a key for all projects, and the audit log has its address', async () => {
    const zone = cloudflare.addZone('example.com');
    cloudflare.addRecord(zone, { name: 'vpn.example.com', content: '198.51.100.9' });
    const again = async (more: object) => {
      await env.DB.exec('delete from domains');
      return createRecord('vpn.example.com', 'cloudflare', more);
    };
    const refused = await again({});
    expect([refused.status, refused.body.code, refused.body.error]).toEqual([
      409,
      'points_elsewhere',
      expect.stringMatching(
        /^vpn\.example\.com points to 198\.51\.100\.9, which is no host of this instance\. /,
      ),
    ]);
    const limited = (await insertKey({ projects: [service.projectId] })).token;
    expect((await again({ replace: true, as: limited })).status).toBe(403);
    expect(cloudflare.records).toMatchObject([{ content: '198.51.100.9' }]);
    expect((await again({ replace: true })).body.result.action).toBe('updated');
    const details = async () =>
      (await call('GET', '/api/system/audit', { token: operatorToken })).body.entries.map(
        ({ detail }: { detail: unknown }) => detail,
      );
    await expect.poll(details).toContainEqual({ hostname: 'vpn.example.com', replaced: ['198.51.100.9'] });
    // What Longshore made, it changes again without a question.
    await set({ publicIp: '198.51.100.77' });
    expect((await again({ as: limited })).body.result.action).toBe('updated');
  });

  test.each([
    [
      'an unknown provider',
      'a.example.com',
      'route53',
      400,
      'invalid_request',
      '"providerId" must be one of "cloudflare"',
    ],
    ['a name of this machine', 'a.localhost', 'cloudflare', 400, 'unsupported', 'needs no DNS record'],
    [
      'a name in no zone',
      'a.example.net',
      'cloudflare',
      409,
      'conflict',
      'This Cloudflare account has no zone for a.example.net',
    ],
  ])(
    'a DNS record for a domain is refused for %s',
    async (_, hostname, providerId, status, code, sentence) => {
      cloudflare.addZone('example.com');
      const reply = await createRecord(hostname, providerId);
      expect([reply.status, reply.body.code]).toEqual([status, code]);
      expect(reply.body.error).toContain(sentence);
    },
  );

  test('a DNS record for a domain is refused while the provider is not connected, or its credentials no longer open', async () => {
    await env.DB.exec("update dns_providers set sealed_credentials = 'v1.AAAA.AAAA' where id = 'cloudflare'");
    const unreadable = await createRecord('a.example.com', 'cloudflare');
    expect([unreadable.status, unreadable.body.error]).toEqual([
      409,
      "The stored credentials of Cloudflare can't be decrypted: enter them again in the system settings.",
    ]);
    await env.DB.exec('delete from dns_providers');
    const absent = await createRecord('b.example.com', 'cloudflare');
    expect([absent.status, absent.body.code]).toEqual([409, 'conflict']);
    expect(absent.body.error).toContain('Cloudflare is not connected');
  });

  test.each(['127.0.0.1', '192.168.1.5', 'fd00::1'])(
    'a DNS record for a domain never points to %s, and says which setting helps',
    async (publicIp) => {
      cloudflare.addZone('example.com');
      await set({ publicIp });
      const reply = await createRecord('a.example.com', 'cloudflare');
      expect([reply.status, reply.body.code]).toEqual([409, 'conflict']);
      expect(reply.body.error).toContain('set "publicIp" in the system settings');
      expect(cloudflare.requests).toEqual([]);
    },
  );

  test('a DNS record for a domain is refused in the words of the provider, without its credentials', async () => {
    await connect('cloudflare', { apiToken: 'wrong-canary' });
    const reply = await createRecord('a.example.com', 'cloudflare');
    expect([reply.status, reply.body.code]).toEqual([409, 'provider_refused']);
    expect(reply.text).not.toContain('canary');
  });
});

describe('a DNS record at Namecheap', () => {
  let runner: FakeRunner;
  /** The next question, which may come to a later test. */
  let asked: Promise<HubFrameOf<'request'>> | undefined;

  /** Answers what the host is asked, until the request is over. */
  async function answering<Reply>(
    answerOf: (question: NamecheapRequest) => NamecheapAnswer | undefined,
    request: Promise<Reply>,
  ): Promise<{ reply: Reply; calls: NamecheapRequest[]; frames: string[] }> {
    const calls: NamecheapRequest[] = [];
    const frames: string[] = [];
    const over = request.then(() => undefined);
    for (;;) {
      asked ??= runner.next('request');
      const frame = await Promise.race([asked, over]);
      if (frame === undefined) return { reply: await request, calls, frames };
      asked = undefined;
      if (frame.ask.op !== 'namecheap') throw new Error(`asked ${frame.ask.op}`);
      const clear = await runner.openText(frame.ask.sealed, requestPlace(host.runnerId, 'namecheap'));
      const question = namecheapRequestSchema.parse(JSON.parse(clear));
      calls.push(question);
      frames.push(JSON.stringify(frame));
      const value = answerOf(question);
      const outcome = value
        ? ({ ok: true, value } as const)
        : ({ ok: false, code: 'internal', message: 'broken.' } as const);
      runner.send({ v: protocolVersion, type: 'response', id: frame.id, outcome });
    }
  }

  beforeAll(async () => {
    runner = await FakeRunner.connect(host.keys);
  });

  test('a DNS record at Namecheap is made through the host, in sealed questions, and read again', async () => {
    const kept = { name: '@', type: 'MX', address: 'mx.example.net.', mxPref: '5', ttl: '60' };
    let records = [kept];
    const { reply, calls, frames } = await answering(
      ({ call: one }) => {
        if (one.method === 'list-domains')
          return { outcome: 'domains', domains: ['other.com', 'Example.co.uk'] };
        if (one.method === 'read-records')
          return { outcome: 'records', isUsingOurDns: true, emailType: 'MX', records };
        records = one.records;
        return { outcome: 'written' };
      },
      createRecord('www.example.co.uk', 'namecheap'),
    );
    expect(reply.body.result).toEqual({
      provider: 'namecheap',
      providerName: 'Namecheap',
      action: 'created',
      hostname: 'www.example.co.uk',
      recordType: 'A',
      host: 'www',
      zone: 'example.co.uk',
      targetIp: '203.0.113.7',
    });
    expect(calls.map((one) => one.call.method)).toEqual([
      'list-domains',
      'read-records',
      'write-records',
      'read-records',
    ]);
    expect(calls[2]?.call).toMatchObject({ domain: 'Example.co.uk', emailType: 'MX' });
    expect(records).toEqual([
      kept,
      { name: 'www', type: 'A', address: '203.0.113.7', mxPref: '10', ttl: '1799' },
    ]);
    expect(calls[0]?.credentials).toEqual({
      apiUser: 'owner',
      apiKey: 'nc-canary',
      userName: 'owner',
      clientIp: '203.0.113.7',
    });
    expect(frames.join()).not.toContain('canary');
  });

  test('a DNS record at Namecheap is refused with the error of Namecheap or the host', async () => {
    const refused = await answering(
      () => ({ outcome: 'refused', number: '1011150', message: 'Invalid request IP: 203.0.113.7' }),
      createRecord('a.example.com', 'namecheap'),
    );
    expect([refused.reply.status, refused.reply.body.error]).toEqual([
      409,
      'Namecheap refused (1011150): Invalid request IP: 203.0.113.7. Allow 203.0.113.7 there, under Profile > Tools > API Access.',
    ]);
    const broken = await answering(() => undefined, createRecord('b.example.com', 'namecheap'));
    expect([broken.reply.status, broken.reply.body.code]).toEqual([503, 'unavailable']);
    expect(broken.reply.body.error).toBe('The host host could not ask Namecheap: broken.');
  });

  test('a DNS record at Namecheap needs the host that the credentials name, and an IPv4 address of it', async () => {
    await connect('namecheap', { ...credentials.namecheap, runnerId: 'run_absent' });
    const absent = await createRecord('a.example.com', 'namecheap');
    expect([absent.status, absent.body.code]).toEqual([409, 'conflict']);
    expect(absent.body.error).toContain('run_absent, which does not exist');
    const other = await newHost();
    await connect('namecheap', { ...credentials.namecheap, runnerId: other.runnerId });
    const offline = await createRecord('b.example.com', 'namecheap');
    expect([offline.status, offline.body.code]).toEqual([503, 'runner_offline']);
    await env.DB.prepare("update runners set facts = json_set(facts, '$.publicIp', null) where id = ?")
      .bind(other.runnerId)
      .run();
    const unknown = await createRecord('c.example.com', 'namecheap');
    expect(unknown.body.error).toContain('set "clientIp" in the credentials of Namecheap');
  });
});

describe('on an instance with several tenants', () => {
  test("a zone in the operator's account verifies a name of the default tenant", async () => {
    await insertTenant('another');
    cloudflare.addZone('example.com');
    const id = await addDomain('verified.example.com');
    await env.DB.prepare('update domains set is_proven = 0 where id = ?').bind(id).run();
    const path = `/api/services/${service.id}/domains/${id}/dns-records`;
    const { status, body } = await call('POST', path, { token, body: { providerId: 'cloudflare' } });
    expect(status).toBe(200);
    expect(body.domain).not.toHaveProperty('proof');
    expect((await tasks()).at(-1)).toMatchObject({ names: expect.stringContaining('verified.example.com') });
  });

  test("another tenant changes nothing in the operator's zones but names that it has verified", async () => {
    cloudflare.addZone('example.com');
    const tenantId = await insertTenant('customer');
    const project = await insertProject({ tenantId });
    const own = await insertService({ projectId: project.id, runnerId: host.runnerId });
    const { token: customer } = await insertKey({ tenantId });
    const ask = async (hostname: string, isVerified: boolean) => {
      const id = await addDomain(hostname);
      await env.DB.prepare('update domains set service_id = ?, is_proven = ? where id = ?')
        .bind(own.id, Number(isVerified), id)
        .run();
      const path = `/api/services/${own.id}/domains/${id}/dns-records`;
      return call('POST', path, { token: customer, body: { providerId: 'cloudflare' } });
    };
    const unverified = await ask('mail.example.com', false);
    expect([unverified.status, unverified.body.code]).toEqual([409, 'conflict']);
    expect(unverified.body.error).toContain('TXT record _longshore.example.com');
    await set({ rootDomain: 'apps.example.com' });
    const below = await ask('mail.apps.example.com', true);
    expect([below.status, below.body.code]).toEqual([400, 'unsupported']);
    expect(cloudflare.records).toEqual([]);
    expect((await ask('shop.example.com', true)).body.result.action).toBe('created');
  });

  test('without a provider, a record is made at the one that has the zone, and the answer says what else to do', async () => {
    await call('DELETE', '/api/system/dns-providers/namecheap', { token: operatorToken });
    const none = await createRecord('b.example.org');
    expect([none.status, none.body.error]).toEqual([
      409,
      expect.stringContaining('at Cloudflare or Spaceship'),
    ]);
    cloudflare.addZone('example.org');
    const made = await createRecord('c.example.org');
    expect(made.body).toMatchObject({ ok: true, result: { provider: 'cloudflare', action: 'created' } });
    spaceship.addDomain('example.org');
    const both = await createRecord('d.example.org');
    expect([both.status, both.body.error]).toEqual([
      400,
      expect.stringContaining('"providerId" is missing: Cloudflare and Spaceship each have a zone'),
    ]);
    await call('DELETE', '/api/system/dns-providers/cloudflare', { token: operatorToken });
    expect((await createRecord('e.example.org')).body).toMatchObject({ result: { provider: 'spaceship' } });
    await call('DELETE', '/api/system/dns-providers/spaceship', { token: operatorToken });
    const empty = await createRecord('f.example.org');
    expect([empty.status, empty.body.error]).toEqual([
      409,
      expect.stringContaining('No DNS provider is connected'),
    ]);
    const local = await createRecord('g.localhost');
    expect([local.status, local.body.error]).toEqual([400, expect.stringContaining('needs no DNS record')]);
  });
});
