/** Certificates of wildcards by DNS-01, from a real CA, over real Caddy; the test is the control plane and the DNS provider. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import type { ChallengeAnswer } from '../../../../runner/proxy/certificates/wildcard/challenge-board.ts';
import { routeTo, startApp, type TestApp } from '../../../support/docker/test-proxy.ts';
import { getSecurely, handshake, startTlsHost, type TlsHost } from '../../../support/docker/tls-host.ts';
import { until } from '../../../support/runner/until.ts';

let host: TlsHost;
let app: TestApp;
let root: string;

beforeAll(async () => {
  [host, app] = await Promise.all([startTlsHost({ validitySeconds: 30 }), startApp('127.0.0.1', 'wide')]);
  root = await host.ca.issuingRoot();
});

afterAll(async () => {
  await app?.close();
  await host?.end();
});

afterEach(async () => {
  host.proxy.certificates.want([]);
  host.proxy.wildcards.keep([]);
  await until('the end of all orders', () => host.ca.txt.size === 0);
});

let count = 0;
const newZone = () => `zone-${++count}.example.com`;

interface Provider {
  /** What is written instead of the wanted value. */
  written?: (value: string) => string[];
  answer?: ChallengeAnswer;
  /** Values that were wanted, in order. */
  values: string[];
}

/** Makes and removes the records that the host wants, as the control plane does. */
function provide(zone: string, provider: Partial<Provider> = {}): Provider {
  const all: Provider = { values: [], ...provider };
  const name = `_acme-challenge.${zone}`;
  const { challenges } = host.proxy;
  challenges.onChange((hostname) => {
    const value = challenges.wanted(hostname);
    if (value === undefined) return void host.ca.txt.delete(name);
    all.values.push(value);
    host.ca.txt.set(name, (all.written ?? ((one) => [one]))(value));
    challenges.answered(hostname, value, all.answer ?? { ok: true, detail: '' });
  });
  return all;
}

async function serve(...hostnames: string[]): Promise<void> {
  // As the runner does for each list of names: the certificate of a name that is not in it is dropped.
  host.proxy.wildcards.keep(hostnames);
  await host.proxy.traffic.switchTo(routeTo(app, { serviceId: 'svc_wide', hostnames }));
  host.proxy.certificates.want(hostnames);
}

test('a wildcard gets a certificate by the DNS, which is served for its names, renewed in time, and kept over a restart', async () => {
  const zone = newZone();
  const provider = provide(zone);
  await serve(`*.${zone}`);
  const { expiresAt } = await host.reached(`*.${zone}`, 'issued');
  for (const name of [`a.${zone}`, `b.${zone}`])
    expect(await getSecurely(host.config.httpsPort, name, root)).toBe('wide');
  const first = await handshake(host.config.httpsPort, `a.${zone}`, root);
  const directory = join(host.dataDir, 'caddy', 'wildcard-certificates');
  const file = join(directory, `_w.${zone}.pem`);
  expect(readdirSync(directory)).toEqual([`_w.${zone}.pem`]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toContain('PRIVATE KEY');
  expect(host.ca.txt.size).toBe(0);
  const pid = await host.pidOf('caddy');

  await vi.waitUntil(() => host.stateOf(`*.${zone}`).expiresAt !== expiresAt, {
    timeout: 60_000,
    interval: 50,
  });
  const second = await handshake(host.config.httpsPort, `a.${zone}`, root);
  expect(second.serial).not.toBe(first.serial);
  expect([provider.values.length, await host.pidOf('caddy')]).toEqual([2, pid]);

  const orders = host.ca.orders();
  await host.restart();
  host.proxy.certificates.want([`*.${zone}`]);
  expect(host.stateOf(`*.${zone}`).state).toBe('issued');
  expect(await handshake(host.config.httpsPort, `b.${zone}`, root)).toEqual(second);
  expect(host.ca.orders()).toBe(orders);
  host.proxy.wildcards.keep([]);
  expect(readdirSync(directory)).toEqual([]);
});

test('a wildcard whose record the control plane can not make says why, and no check of the CA is used up', async () => {
  const zone = newZone();
  provide(zone, { answer: { ok: false, detail: 'No connected DNS provider has this zone.' } });
  await serve(`*.${zone}`);
  const { detail } = await host.reached(`*.${zone}`, 'failed');
  expect(detail).toMatch(/^No connected DNS provider has this zone\. The next try is after 20\d\d-/);
  expect(host.ca.checks(zone)).toBe(0);
});

test('the CA is asked only once the name servers have the record', async () => {
  const zone = newZone();
  provide(zone, { written: () => ['of somebody else'] });
  await serve(`*.${zone}`);
  await until('the record', () => host.ca.txt.size > 0);
  await until('a look at it', () => host.proxy.challenges.wanted(`*.${zone}`));
  const value = host.proxy.challenges.wanted(`*.${zone}`) ?? '';
  expect([host.stateOf(`*.${zone}`).state, host.ca.checks(zone)]).toEqual(['pending', 0]);
  host.ca.txt.set(`_acme-challenge.${zone}`, ['of somebody else', value]);
  await host.reached(`*.${zone}`, 'issued');
});

test('a runner that ends in the middle of an order leaves no wish behind, and orders anew when it is back', async () => {
  const zone = newZone();
  provide(zone, { written: () => [] });
  await serve(`*.${zone}`);
  await until('the wish', () => host.proxy.challenges.wanted(`*.${zone}`));
  await host.restart();
  expect(host.proxy.challenges.wanted(`*.${zone}`)).toBeUndefined();
  host.ca.txt.clear();
  provide(zone);
  host.proxy.certificates.want([`*.${zone}`]);
  await host.reached(`*.${zone}`, 'issued');
});

test('two wildcards and a plain name below one get their certificates together', async () => {
  const [one, two] = [newZone(), newZone()];
  const { challenges } = host.proxy;
  challenges.onChange((hostname) => {
    const value = challenges.wanted(hostname);
    const name = `_acme-challenge.${hostname.slice(2)}`;
    if (value === undefined) return void host.ca.txt.delete(name);
    host.ca.txt.set(name, [value]);
    challenges.answered(hostname, value, { ok: true, detail: '' });
  });
  await serve(`*.${one}`, `*.${two}`, `a.${one}`);
  await Promise.all([`*.${one}`, `*.${two}`, `a.${one}`].map((name) => host.reached(name, 'issued')));
  const serials = await Promise.all(
    [`a.${one}`, `b.${one}`, `c.${one}`, `a.${two}`].map(
      async (name) => (await handshake(host.config.httpsPort, name, root)).serial,
    ),
  );
  expect(new Set(serials).size).toBe(3);
  expect(serials[1]).toBe(serials[2]);
});
