/** Wildcard names over real Caddy: which route answers, with which rules and which certificate. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TrafficRules } from '../../../protocol/traffic/traffic-rules.ts';
import { ask } from '../../support/docker/ask.ts';
import { keepAsking } from '../../support/docker/keep-asking.ts';
import { routeTo, startApp, type TestApp } from '../../support/docker/test-proxy.ts';
import { handshake } from '../../support/docker/tls-host.ts';
import { useTestProxy } from '../../support/docker/use-scenes.ts';
import { noTrafficRules } from '../../support/runner/no-traffic-rules.ts';

const host = useTestProxy();
let wide: TestApp;
let exact: TestApp;

beforeAll(async () => {
  [wide, exact] = await Promise.all([startApp('127.9.0.21', 'wide'), startApp('127.9.0.22', 'exact')]);
});

afterAll(async () => {
  await Promise.all([wide?.close(), exact?.close()]);
});

beforeEach(async () => {
  await Promise.all(['svc_wide', 'svc_exact'].map((id) => host.proxy.traffic.remove(id)));
});

const wideRoute = () => routeTo(wide, { serviceId: 'svc_wide', hostnames: ['*.shop.localhost'] });
const exactRoute = () => routeTo(exact, { serviceId: 'svc_exact', hostnames: ['a.shop.localhost'] });
const visit = async (name: string) => {
  const { status, body } = await ask(host.config.httpPort, name);
  return status === 200 ? body : status;
};
const visits = (...names: string[]) => Promise.all(names.map(visit));
const rules = (more: Partial<TrafficRules>): TrafficRules => ({
  ...noTrafficRules,
  ...more,
});
const down = (...domains: string[]) =>
  rules({ maintenance: { domains, retryAfterSeconds: 60, allowedAddresses: [] } });

async function wideSite(): Promise<void> {
  const directory = join(host.dataDir, 'sites', 'releases', 'dep_wide');
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'index.html'), 'site');
  await host.proxy.traffic.switchTo({
    ...wideRoute(),
    target: { type: 'site', directory, spa: false },
  });
}

test('a wildcard answers for all names one label below it, in any case and at any port, and for no others', async () => {
  await host.proxy.traffic.switchTo(wideRoute());
  expect(
    await visits('a.shop.localhost', 'B.Shop.LOCALHOST', `c.shop.localhost:${host.config.httpPort}`),
  ).toEqual(['wide', 'wide', 'wide']);
  expect(await visits('shop.localhost', 'a.b.shop.localhost', 'shop.localhost.localhost')).toEqual([
    404, 404, 404,
  ]);
  expect(await host.proxy.traffic.probe('*.shop.localhost')).toMatchObject({ ok: true });
  await host.proxy.traffic.remove('svc_wide');
  expect(await visit('a.shop.localhost')).toBe(404);
});

test('a name that another service has wins over the wildcard, and falls back to it, without a failed request', async () => {
  await host.proxy.traffic.switchTo(wideRoute());
  const asking = keepAsking(host.config.httpPort, 'a.shop.localhost');
  await host.proxy.traffic.switchTo(exactRoute());
  expect(await visits('a.shop.localhost', 'A.shop.localhost', 'b.shop.localhost')).toEqual([
    'exact',
    'exact',
    'wide',
  ]);
  await host.proxy.traffic.remove('svc_exact');
  expect(await visit('a.shop.localhost')).toBe('wide');
  const seen = await asking.stop();
  expect(seen.failures).toEqual([]);
});

test('a stopped service of exactly the name says so, instead of the wildcard', async () => {
  await host.proxy.traffic.switchTo(wideRoute());
  await host.proxy.traffic.switchTo({ ...exactRoute(), target: { type: 'stopped' } });
  expect(await visits('a.shop.localhost', 'b.shop.localhost')).toEqual([503, 'wide']);
});

test('a static site answers by its wildcard, and gives way to a container and to a site of exactly the name', async () => {
  await wideSite();
  expect(await visits('a.shop.localhost', 'b.shop.localhost')).toEqual(['site', 'site']);
  expect((await ask(host.config.httpPort, 'B.shop.localhost')).headers.location).toBe('//b.shop.localhost/');
  await host.proxy.traffic.switchTo(exactRoute());
  expect(await visits('a.shop.localhost', 'b.shop.localhost')).toEqual(['exact', 'site']);
});

test('rules of a wildcard apply to its names in any case, and not to a name of another service', async () => {
  await host.proxy.traffic.switchTo({ ...wideRoute(), rules: down() });
  await host.proxy.traffic.switchTo(exactRoute());
  expect(
    await visits('a.shop.localhost', 'A.shop.localhost', 'b.shop.localhost', 'B.shop.localhost'),
  ).toEqual(['exact', 'exact', 503, 503]);
});

test('a rule for the wildcard alone leaves the other names of its service, and the other way round', async () => {
  const names = { ...wideRoute(), hostnames: ['*.shop.localhost', 'a.shop.localhost'] };
  await host.proxy.traffic.switchTo({ ...names, rules: down('*.shop.localhost') });
  expect(await visits('a.shop.localhost', 'b.shop.localhost')).toEqual(['wide', 503]);
  await host.proxy.traffic.switchTo({ ...names, rules: down('a.shop.localhost') });
  expect(await visits('a.shop.localhost', 'b.shop.localhost')).toEqual([503, 'wide']);
});

test('names of a wildcard below localhost have certificates of the host’s own CA, and it outlasts a restart', async () => {
  await host.proxy.traffic.switchTo(wideRoute());
  expect(await handshake(host.config.httpsPort, 'a.shop.localhost')).toMatchObject({
    issuer: expect.stringContaining('Caddy Local Authority'),
  });
  await expect(handshake(host.config.httpsPort, 'a.b.shop.localhost')).rejects.toThrow();
  await host.restart();
  expect(await visits('a.shop.localhost', 'shop.localhost')).toEqual(['wide', 404]);
});
