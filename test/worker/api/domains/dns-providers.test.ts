import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, test } from 'vitest';
import { createDependencies } from '../../../../worker/context.ts';
import { ApiError } from '../../../../worker/domain/errors.ts';
import { createDnsProviders } from '../../../../worker/gateways/dns/index.ts';
import { createClient, operatorToken as token } from '../../../support/worker/api.ts';
import { CloudflareServer, cloudflareToken } from '../../../support/worker/servers/cloudflare-server.ts';

let cloudflare: CloudflareServer;
const call = createClient({
  dependenciesOf: (bindings) => {
    const outside = { fetch: cloudflare.fetch, pause: async () => {}, timeLimitMs: 1_000 };
    const nobody = () => Promise.reject(new ApiError('runner_offline', 'No host is here.'));
    return { ...createDependencies(bindings), dns: createDnsProviders(outside, nobody) };
  },
});
const path = '/api/system/dns-providers';
const connect = (body: object) => call('POST', path, { token, body });
const cloudflareBody = { id: 'cloudflare', credentials: { apiToken: cloudflareToken } };
const namecheapBody = {
  id: 'namecheap',
  verify: false,
  credentials: { apiUser: 'owner', apiKey: 'nc-canary', clientIp: '203.0.113.7' },
};

async function connected(): Promise<string[]> {
  const { body } = await call('GET', path, { token });
  return body.providers
    .filter((one: { connected: boolean }) => one.connected)
    .map(({ id }: { id: string }) => id);
}

beforeEach(async () => {
  cloudflare = new CloudflareServer();
  cloudflare.addZone('example.com');
  await env.DB.exec('delete from dns_providers');
});

describe('the DNS providers', () => {
  test('the DNS providers are listed with what each wants to be given, connected or not', async () => {
    const { body } = await call('GET', path, { token });
    expect(
      body.providers.map(({ id, name, connected }: Record<string, unknown>) => [id, name, connected]),
    ).toEqual([
      ['cloudflare', 'Cloudflare', false],
      ['namecheap', 'Namecheap', false],
      ['spaceship', 'Spaceship', false],
    ]);
    expect(body.providers[0]).toMatchObject({
      credentials: [{ name: 'apiToken', required: true, secret: true }],
      createdAt: null,
      updatedAt: null,
    });
  });

  test('the DNS providers are connected once their credentials were verified, and replaced by connecting again', async () => {
    const { status, body } = await connect(cloudflareBody);
    expect([status, body.provider.connected]).toEqual([200, true]);
    expect(await connected()).toEqual(['cloudflare']);
    expect(cloudflare.requests.every((request) => request.startsWith('GET '))).toBe(true);
    const again = await connect(cloudflareBody);
    expect(again.body.provider.createdAt).toBe(body.provider.createdAt);
  });

  test('the DNS providers keep their credentials when the new ones are bad, unless the check is skipped', async () => {
    const bad = { ...cloudflareBody, credentials: { apiToken: 'wrong' } };
    const refused = await connect(bad);
    expect([refused.status, refused.body.code]).toEqual([409, 'provider_refused']);
    expect(refused.body.error).toBe('Cloudflare refused (HTTP 403): Invalid access token.');
    expect(await connected()).toEqual([]);
    expect((await connect({ ...bad, verify: false })).status).toBe(200);
    expect(await connected()).toEqual(['cloudflare']);
  });

  test('the DNS providers forget credentials when they are disconnected', async () => {
    await connect(cloudflareBody);
    expect((await call('DELETE', `${path}/cloudflare`, { token })).body).toEqual({ ok: true });
    expect(await connected()).toEqual([]);
    expect((await call('DELETE', `${path}/cloudflare`, { token })).status).toBe(404);
  });

  test('the DNS providers never show a credential: not in an answer, not in a row', async () => {
    const answers = [
      await connect(cloudflareBody),
      await connect(namecheapBody),
      await call('GET', path, { token }),
    ];
    const { results } = await env.DB.prepare('select * from dns_providers').all();
    expect(results).toHaveLength(2);
    for (const text of [...answers.map((answer) => answer.text), JSON.stringify(results)]) {
      expect(text).not.toContain('canary');
    }
  });

  test('the DNS providers accept a change of some credentials; null removes an optional one, and the whole must be valid', async () => {
    await connect(namecheapBody);
    const change = (credentials: object) =>
      call('PATCH', `${path}/namecheap`, { token, body: { credentials, verify: false } });
    expect((await change({ apiKey: 'nc-canary-2', clientIp: null })).status).toBe(200);
    expect((await change({ apiKey: null })).body.error).toBe('The field "credentials.apiKey" is missing.');
    expect((await change({ apiToken: 'x' })).body.error).toContain('"credentials.apiToken" does not exist');
    expect((await change({ clientIp: 'fe80::1' })).body.error).toContain('must be an IPv4 address');
    expect((await change({})).status).toBe(400);
    const verified = await call('PATCH', `${path}/namecheap`, {
      token,
      body: { credentials: { apiUser: 'x' } },
    });
    // The credentials are tried first, unless told otherwise: Namecheap was to be asked.
    expect([verified.status, verified.body.code]).toEqual([503, 'runner_offline']);
    expect(
      (await call('PATCH', `${path}/spaceship`, { token, body: { credentials: { apiKey: 'x' } } })).status,
    ).toBe(404);
  });

  test.each([
    [
      { id: 'route53', credentials: {} },
      'The field "id" must be one of "cloudflare", "namecheap" or "spaceship".',
    ],
    [{ credentials: {} }, 'The field "id" must be one of "cloudflare", "namecheap" or "spaceship".'],
    [{ id: 'cloudflare' }, 'The field "credentials" is missing.'],
    [{ id: 'cloudflare', credentials: {} }, 'The field "credentials.apiToken" is missing.'],
    [
      { id: 'cloudflare', credentials: { apiToken: 'a\nb' } },
      'The field "credentials.apiToken" must be 1 to 500 visible ASCII characters.',
    ],
    [
      { ...cloudflareBody, credentials: { apiToken: 'a', email: 'x' } },
      'The field "credentials.email" does not exist: leave it out, or check its spelling.',
    ],
    [
      { ...cloudflareBody, zone: 'x' },
      'The field "zone" does not exist: leave it out, or check its spelling.',
    ],
  ])('the DNS providers are not connected by %j', async (body, error) => {
    const reply = await connect(body);
    expect([reply.status, reply.body.error]).toEqual([400, error]);
    expect(await connected()).toEqual([]);
  });
});
