/** Names of a service with the real edge and the real Caddy; the name servers are the test's own. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { HostTaskOf } from '../../../../protocol/host-task.ts';
import type { ServiceNames } from '../../../../protocol/service-names.ts';
import { systemClock } from '../../../../runner/base/clock.ts';
import { DomainSender } from '../../../../runner/connection/domain-sender.ts';
import type { DomainWatch } from '../../../../runner/host/domains/domain-watch.ts';
import { watchDomains } from '../../../../runner/host/domains/watch-domains.ts';
import { setHostnames } from '../../../../runner/host/tasks/set-hostnames.ts';
import type { Route } from '../../../../runner/proxy/traffic.ts';
import { ask } from '../../../support/docker/ask.ts';
import { keepAsking } from '../../../support/docker/keep-asking.ts';
import { routeTo, startApp, type TestApp } from '../../../support/docker/test-proxy.ts';
import { useTestProxy } from '../../../support/docker/use-scenes.ts';
import { until } from '../../../support/runner/until.ts';

const serviceId = 'svc_aaaaaaaaaaaaaaaa';
const host = useTestProxy();
let app: TestApp;
let watch: DomainWatch;
const dns = new Map<string, string[]>();

beforeAll(async () => {
  app = await startApp('127.0.3.1', 'shop');
  watch = watchDomains({
    traffic: host.proxy.traffic,
    certificates: host.proxy.certificates,
    ownCertificates: host.proxy.ownCertificates,
    wildcards: host.proxy.wildcards,
    challenges: host.proxy.challenges,
    openRequest: () => '',
    config: { publicIp: '203.0.113.7' },
    clock: systemClock,
    lookUp: async (hostname) => {
      const addresses = dns.get(hostname);
      return addresses ? { found: 'addresses', addresses } : { found: 'nothing' };
    },
  });
});

afterAll(async () => {
  watch?.stop();
  await app?.close();
});

afterEach(() => host.proxy.traffic.forget(serviceId));

const visit = (name: string) => ask(host.config.httpPort, name);
const route = (more: Partial<Route> = {}) => routeTo(app, { serviceId, ...more });
const named = (revision: number, ...custom: string[]): ServiceNames => ({
  revision,
  publicIp: null,
  names: [
    { hostname: 'shop.localhost', isCustom: false, isActive: true },
    ...custom.map((hostname) => ({ hostname, isCustom: true, isActive: false })),
  ],
});
const assign = (names: ServiceNames, ...changed: string[]) => {
  const task: HostTaskOf<'set-hostnames'> = {
    kind: 'set-hostnames',
    serviceId,
    projectId: 'prj_aaaaaaaaaaaaaaaa',
    ...names,
    changed,
  };
  return setHostnames({ traffic: host.proxy.traffic, checkDomainsSoon: (id) => watch.checkSoon(id) }, task);
};

test('a new name leads to the app as soon as the task is answered; the answer is what a request by it got', async () => {
  await host.proxy.traffic.switchTo(route());
  expect((await visit('a.example')).status).toBe(404);
  const added = await assign(named(1, 'a.example'), 'a.example');
  expect(added).toEqual({
    ok: true,
    detail: expect.stringMatching(/^a\.example answered 200 through the proxy in \d+ ms\.$/),
  });
  expect(await visit('a.example')).toMatchObject({ status: 200, body: 'shop' });
});

test('an old name leads nowhere after a rename, while the other names lose no request', async () => {
  await host.proxy.traffic.switchTo(route(), named(1, 'a.example'));
  const load = keepAsking(host.config.httpPort, 'shop.localhost');
  await until('requests', () => load.answers() > 0);
  const renamed = await assign(named(2, 'b.example'), 'b.example', 'a.example');
  expect(renamed.ok).toBe(true);
  expect(renamed.detail).toMatch(
    /^b\.example answered 200 .* ms\. a\.example no longer leads to an app: .* 404 in/,
  );
  expect((await visit('a.example')).status).toBe(404);
  expect((await load.stop()).failures).toEqual([]);
});

test('late, repeated and older tasks change nothing, and a deployment of before the change brings no name back', async () => {
  await host.proxy.traffic.switchTo(route(), named(1, 'old.example'));
  await assign(named(3, 'new.example'), 'new.example', 'old.example');
  const late = await assign(named(2, 'old.example', 'new.example'), 'new.example');
  expect(late).toMatchObject({ ok: true, detail: expect.stringContaining('new.example answered 200') });
  await assign(named(3, 'new.example'), 'new.example');
  await host.proxy.traffic.switchTo(
    route({ deploymentId: 'dep_2', hostnames: ['shop.localhost', 'old.example'] }),
    named(1, 'old.example'),
  );
  expect((await visit('old.example')).status).toBe(404);
  expect((await visit('new.example')).status).toBe(200);
});

test('a change of names keeps the tenant, by which orders of certificates are limited', async () => {
  const tenantId = 'ten_aaaaaaaaaaaaaaaa';
  await host.proxy.traffic.switchTo(route(), { ...named(1), tenantId });
  await assign({ ...named(2, 'a.example'), tenantId });
  expect(host.proxy.traffic.names()).toMatchObject([{ serviceId, revision: 2, tenantId }]);
});

test('a name of a service that is not deployed has no route, which is reported, and is routed with the first deployment', async () => {
  expect(await assign(named(2, 'a.example'), 'a.example')).toEqual({
    ok: true,
    detail: 'a.example has no app behind it until the service is deployed.',
  });
  expect((await visit('a.example')).status).toBe(404);
  await host.proxy.traffic.switchTo(route(), named(1));
  expect((await visit('a.example')).status).toBe(200);
});

test('names of a static site come and go without a new release', async () => {
  const directory = join(host.dataDir, 'sites', 'releases', 'dep_site');
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'index.html'), 'home');
  await host.proxy.traffic.switchTo(route({ target: { type: 'site', directory, spa: false } }));
  const added = await assign(named(1, 'a.example'), 'a.example');
  expect(added).toMatchObject({ ok: true, detail: expect.stringContaining('a.example answered 200') });
  const { etag } = (await visit('shop.localhost')).headers;
  expect(await visit('a.example')).toMatchObject({ status: 200, body: 'home', headers: { etag } });
  const removed = await assign(named(2), 'a.example');
  expect(removed).toMatchObject({ ok: true, detail: expect.stringContaining('no longer leads to an app') });
});

test('an app that does not answer is reported: the name is set, the request failed', async () => {
  const gone = await startApp('127.0.3.2', 'x');
  await gone.close();
  await host.proxy.traffic.switchTo(routeTo(gone, { serviceId }));
  const result = await assign(named(1, 'a.example'), 'a.example');
  expect(result).toMatchObject({ ok: false, detail: expect.stringContaining('does not answer') });
});

test('the DNS of assigned names is checked, and the result and each change are reported to the hub', async () => {
  const frames: string[] = [];
  const sender = new DomainSender({
    source: watch,
    clock: systemClock,
    send: (frame) => {
      if (frame.type === 'domains')
        frames.push(...frame.domains.map(({ hostname, dns: word }) => `${hostname} ${word}`));
      return true;
    },
  });
  dns.set('a.example', ['203.0.113.7']);
  await assign(named(1, 'a.example', 'b.example'), 'a.example');
  const seen = (...words: string[]) =>
    until(words.join(), () => words.every((word) => frames.includes(word)));
  await seen('a.example here', 'b.example elsewhere');
  dns.set('b.example', ['203.0.113.7']);
  await assign(named(2, 'a.example', 'b.example'));
  await seen('b.example here');
  sender.stop();
});
