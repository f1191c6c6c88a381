/** Custom domains, end to end: the real Worker, runner, edge and Caddy, and an app that is asked by Host header. */
import { type IncomingMessage, request } from 'node:http';
import { beforeAll, expect, test } from 'vitest';
import { killNine } from '../support/instance/instance-processes.ts';
import type { Json } from '../support/instance/longshore.ts';
import { webApp } from '../support/instance/repository.ts';
import { useInstance, useRepositories } from '../support/instance/use-instance.ts';

const repositories = useRepositories();
const longshore = useInstance();
let shop: Json;
let blog: Json;

beforeAll(async () => {
  await repositories.add('shop', webApp('shop'));
  const project = await longshore.newProject('Domains');
  const repoUrl = `${repositories.url}/shop`;
  shop = await longshore.newService(project, { name: 'shop', repoUrl });
  blog = await longshore.newService(project, { name: 'blog', repoUrl });
});

const overview = ({ id }: Json) => longshore.overview(id);
const domains = (service: Json) => `/api/services/${service.id}/domains`;
const add = (service: Json, hostname: string) => longshore.call('POST', domains(service), { hostname });
const domainId = async (service: Json, hostname: string): Promise<string> =>
  (await overview(service)).domains.find((domain: Json) => domain.hostname === hostname).id;

/** Status and body of a request through Caddy by this name. */
function visit(host: string): Promise<[number, string]> {
  return new Promise((resolve, reject) => {
    const asked = request({ port: longshore.httpPort, host: '127.0.0.1', agent: false, headers: { host } });
    const read = async (answer: IncomingMessage) => {
      const chunks = await Array.fromAsync(answer.setEncoding('utf8') as AsyncIterable<string>);
      resolve([answer.statusCode ?? 0, chunks.join('')]);
    };
    asked.on('error', reject).on('response', (answer) => void read(answer).catch(reject));
    asked.end();
  });
}

test('a domain of a service that is not deployed leads nowhere yet, and to the app from its first deployment on', async () => {
  const { status, body } = await add(shop, 'Early.localhost');
  expect([status, body]).toMatchObject([
    200,
    {
      ok: true,
      proxy: { ok: true, detail: 'early.localhost has no app behind it until the service is deployed.' },
    },
  ]);
  expect((await visit('early.localhost'))[0]).toBe(404);
  await longshore.deploy(shop.id);
  expect(await visit('early.localhost')).toEqual([200, 'shop ']);
  const { service, domains: shown } = await overview(shop);
  expect(service).toMatchObject({
    preferredDomain: 'early.localhost',
    primaryUrl: `https://early.localhost:${longshore.httpsPort}`,
  });
  expect(shown).toMatchObject([{ hostname: 'early.localhost', status: 'active', serviceId: shop.id }]);
});

test('a domain of a running service leads to it as soon as the request is answered', async () => {
  const { body } = await add(shop, 'shop-two.localhost');
  expect(body).toMatchObject({
    ok: true,
    proxy: {
      ok: true,
      detail: expect.stringMatching(/^shop-two\.localhost answered 200 through the proxy in \d+ ms\.$/),
    },
  });
  expect(await visit('shop-two.localhost')).toEqual([200, 'shop ']);
});

test('a domain without DNS is routed all the same, stays pending and shows what the host saw', async () => {
  const { body } = await add(shop, 'shop.example.com');
  expect(body.proxy).toMatchObject({ ok: true, detail: expect.stringContaining('answered 200') });
  expect(await visit('shop.example.com')).toEqual([200, 'shop ']);
  const seen = async () =>
    (await overview(shop)).domains.find(({ hostname }: Json) => hostname === 'shop.example.com');
  await expect.poll(async () => (await seen()).detail, { timeout: 60_000 }).toContain('shop.example.com');
  expect(await seen()).toMatchObject({ status: 'pending', certificate: { state: 'none', expiresAt: null } });
  expect((await overview(shop)).service.preferredDomain).toBe('early.localhost');
});

test('a name that is taken is refused in any spelling', async () => {
  for (const name of ['SHOP-TWO.localhost', 'shop.localhost', 'blog.localhost']) {
    expect(await add(blog, name)).toMatchObject({ status: 409, body: { code: 'conflict' } });
  }
  expect((await overview(blog)).domains).toEqual([]);
});

test('a rename takes the old name away and brings the new one', async () => {
  const id = await domainId(shop, 'shop-two.localhost');
  const { body } = await longshore.call('PATCH', `${domains(shop)}/${id}`, { hostname: 'shop-2.localhost' });
  expect(body.proxy.ok).toBe(true);
  expect(body.proxy.detail).toContain('shop-2.localhost answered 200');
  expect(body.proxy.detail).toContain('shop-two.localhost no longer leads to an app');
  expect([(await visit('shop-two.localhost'))[0], await visit('shop-2.localhost')]).toEqual([
    404,
    [200, 'shop '],
  ]);
});

test('names added while the runner is dead lead to the app once it is back; the other names keep serving', async () => {
  await killNine(longshore.dataDirectory, ['runner']);
  const { status, body } = await add(shop, 'late.localhost');
  expect([status, body]).toMatchObject([
    200,
    {
      ok: true,
      proxy: { ok: false, detail: 'The host is not connected; it will do this when it reconnects.' },
    },
  ]);
  expect(await visit('shop-2.localhost')).toEqual([200, 'shop ']);
  expect((await overview(shop)).domains.map(({ hostname }: Json) => hostname)).toContain('late.localhost');
  await expect.poll(() => visit('late.localhost'), { timeout: 60_000 }).toEqual([200, 'shop ']);
});

test('a deleted domain leads nowhere and is free for another service', async () => {
  const id = await domainId(shop, 'shop-2.localhost');
  const { body } = await longshore.call('DELETE', `${domains(shop)}/${id}`);
  expect(body).toMatchObject({ ok: true, proxy: { ok: true } });
  expect(body.proxy.detail).toContain('shop-2.localhost no longer leads to an app: the proxy answered 404');
  expect((await add(blog, 'shop-2.localhost')).status).toBe(200);
  expect((await longshore.call('DELETE', `${domains(shop)}/${id}`)).status).toBe(404);
});

test('deleting a service removes all its names', async () => {
  const { body } = await longshore.call('DELETE', `/api/services/${shop.id}`);
  expect(body.proxy.ok).toBe(true);
  for (const name of ['shop.localhost', 'early.localhost', 'late.localhost', 'shop.example.com']) {
    expect(body.proxy.detail).toContain(`${name} no longer leads to an app`);
    expect((await visit(name))[0]).toBe(404);
  }
  expect((await add(blog, 'early.localhost')).status).toBe(200);
});
