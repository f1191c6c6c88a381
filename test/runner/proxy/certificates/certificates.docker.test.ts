import { createServer } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { ask } from '../../../support/docker/ask.ts';
import { routeTo, startApp, type TestApp } from '../../../support/docker/test-proxy.ts';
import { getSecurely, handshake, startTlsHost, type TlsHost } from '../../../support/docker/tls-host.ts';
import { freePorts } from '../../../support/free-ports.ts';
import { until } from '../../../support/runner/until.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp('127.0.0.1', 'shop');
});

afterAll(async () => {
  await app?.close();
});

/** Routes these names to the app; certificates are for `tlsNames` alone. */
async function serve(host: TlsHost, hostnames: string[], tlsNames = hostnames): Promise<void> {
  const hostPort = host.config.webPorts.first;
  await host.proxy.traffic.switchTo(routeTo(app, { hostnames, tlsNames, hostPort }));
  host.proxy.certificates.want(tlsNames);
}

/** A server of somebody else under these ports, which Caddy has on all addresses: the kernel prefers the exact one. */
async function anotherServer(address: string, ports: number[]): Promise<void> {
  for (const port of ports) {
    const server = createServer((_request, response) => response.end('another server'));
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen({ host: address, port, reusePort: true }, resolve));
  }
}

test.concurrent.each(['HTTP-01', 'TLS-ALPN-01'])(
  'a certificate by %s alone is issued before the first visitor and renewed on its own',
  async (challenge) => {
    const [closed = 0] = await freePorts(1);
    const ports = challenge === 'HTTP-01' ? { tlsPort: closed } : { httpPort: closed };
    const host = await startTlsHost({ ...ports, validitySeconds: 30 });
    try {
      const root = await host.ca.issuingRoot();
      await serve(host, ['shop.example.com', 'shop.localhost']);
      const { expiresAt } = await host.reached('shop.example.com', 'issued');
      const first = await handshake(host.config.httpsPort, 'shop.example.com', root);
      expect(first.expiresAt).toBe(expiresAt);
      expect(await getSecurely(host.config.httpsPort, 'shop.example.com', root)).toBe('shop');

      // Nobody visits meanwhile; over HTTP the name is redirected, and the CA's question has to come through all the same.
      const renewed = () => host.stateOf('shop.example.com').expiresAt !== expiresAt;
      await vi.waitUntil(renewed, { timeout: 60_000, interval: 50 });
      expect(host.stateOf('shop.example.com')).toMatchObject({ state: 'issued', detail: '' });
      expect(Date.now()).toBeLessThan(expiresAt ?? 0);
      const second = await handshake(host.config.httpsPort, 'shop.example.com', root);
      expect(second.serial).not.toBe(first.serial);
    } finally {
      await host.end();
    }
  },
);

describe('a host with a CA', () => {
  let host: TlsHost;
  const visit = (name: string, headers = {}) =>
    ask(host.config.httpPort, `${name}:${host.config.httpPort}`, { path: '/a?b=1', headers });

  beforeAll(async () => {
    host = await startTlsHost();
  });

  afterAll(async () => {
    await host?.end();
  });

  afterEach(async () => {
    await host.proxy.traffic.remove('svc_shop');
    host.proxy.certificates.want([]);
  });

  test('a host with a CA serves a name over HTTPS alone once it has a certificate, and over HTTP until then', async () => {
    await serve(host, ['safe.example.com', 'waiting.example.com', 'shop.localhost'], ['safe.example.com']);
    await host.reached('safe.example.com', 'issued');
    expect(await visit('safe.example.com')).toMatchObject({
      status: 308,
      headers: { location: `https://safe.example.com:${host.config.httpsPort}/a?b=1` },
    });
    for (const name of ['waiting.example.com', 'shop.localhost']) {
      expect(await visit(name)).toMatchObject({ status: 200, body: 'shop' });
    }
    // A proxy before this one took it by HTTPS; host ports have no HTTPS; what comes to a mapped port is left alone.
    expect(await visit('safe.example.com', { 'x-forwarded-proto': 'https' })).toMatchObject({ status: 200 });
    const hostPort = host.config.webPorts.first;
    expect(await ask(hostPort, `127.0.0.1:${hostPort}`)).toMatchObject({ status: 200 });
    expect(await ask(host.config.httpPort, 'safe.example.com')).toMatchObject({ status: 200 });
    expect(await host.proxy.traffic.probe('safe.example.com')).toMatchObject({ ok: true });
    await serve(host, ['safe.example.com'], []);
    expect(await visit('safe.example.com')).toMatchObject({ status: 200, body: 'shop' });
  });

  test('a host with a CA orders nothing for names that are unknown or not active, however many handshakes they send', async () => {
    await serve(host, ['active.example.com', 'waiting.example.com'], ['active.example.com']);
    await host.reached('active.example.com', 'issued');
    const before = host.ca.orders();
    const names = Array.from({ length: 1_000 }, (_, index) => `n${index}.example.com`);
    const refused = await Promise.allSettled(
      ['waiting.example.com', ...names].map((name) => handshake(host.config.httpsPort, name)),
    );
    expect(refused.filter(({ status }) => status === 'fulfilled')).toEqual([]);
    expect(host.ca.orders()).toBe(before);
  });

  test('a host with a CA gets the certificates of nine names that become active together, each for one order', async () => {
    const before = host.ca.orders();
    const names = Array.from({ length: 9 }, (_, index) => `together-${index}.example.com`);
    await serve(host, names);
    const states = await Promise.all(names.map((name) => host.reached(name, 'issued')));
    expect(states.map(({ detail }) => detail)).toEqual(names.map(() => ''));
    expect(host.ca.orders()).toBe(before + names.length);
  });

  test('a host with a CA issues certificates of its own CA for names below localhost', async () => {
    const before = host.ca.orders();
    await serve(host, ['shop.localhost', 'a.b.localhost']);
    for (const name of ['shop.localhost', 'a.b.localhost']) {
      expect(await handshake(host.config.httpsPort, name)).toMatchObject({
        issuer: expect.stringContaining('Caddy Local Authority'),
      });
      expect(host.stateOf(name)).toEqual({ state: 'none', expiresAt: null, detail: '' });
    }
    expect(host.ca.orders()).toBe(before);
  });

  test('a host with a CA keeps certificates over a restart of Caddy and the runner, without an order', async () => {
    await serve(host, ['kept.example.com']);
    await host.reached('kept.example.com', 'issued');
    const before = [await handshake(host.config.httpsPort, 'kept.example.com'), host.ca.orders()];
    process.kill(await host.pidOf('caddy'), 'SIGKILL');
    await until('Caddy', () => host.reports.some((line) => line.startsWith('Caddy had stopped')));
    await host.restart();
    host.proxy.certificates.want(['kept.example.com']);
    expect(host.stateOf('kept.example.com').state).toBe('issued');
    expect([await handshake(host.config.httpsPort, 'kept.example.com'), host.ca.orders()]).toEqual(before);
  });

  test('a host with a CA reports what the CA saw of a name that leads elsewhere; other names get theirs', async () => {
    const { httpPort, httpsPort } = host.config;
    await anotherServer('127.0.0.9', [httpPort, httpsPort]);
    host.ca.addresses.set('elsewhere.example.com', '127.0.0.9');
    await serve(host, ['elsewhere.example.com', 'here.example.com']);
    const [{ detail }] = await Promise.all([
      host.reached('elsewhere.example.com', 'failed'),
      host.reached('here.example.com', 'issued'),
    ]);
    expect(detail).toMatch(
      /^The CA could not verify that elsewhere.example.com points to this host\. .*HTTP-01: .* The next try is after 20\d\d-/,
    );
    expect(await visit('elsewhere.example.com')).toMatchObject({ status: 200, body: 'shop' });

    // The runner remembers over a restart when to ask again: by the time that a third name has its own, nothing was asked.
    const before = host.ca.checks('elsewhere.example.com');
    await host.restart();
    await serve(host, ['elsewhere.example.com', 'here.example.com', 'third.example.com']);
    expect(host.stateOf('elsewhere.example.com')).toMatchObject({ state: 'failed', detail });
    await host.reached('third.example.com', 'issued');
    expect(host.ca.checks('elsewhere.example.com')).toBe(before);
    expect(await handshake(httpsPort, 'here.example.com')).toMatchObject({
      issuer: expect.stringContaining('Pebble'),
    });
  });

  test('a host with a CA reports what the CA found in the DNS of a name that does not exist', async () => {
    host.ca.addresses.set('nowhere.example.com', null);
    await serve(host, ['nowhere.example.com']);
    const { detail } = await host.reached('nowhere.example.com', 'failed');
    expect(detail).toMatch(/Could not resolve URL "nowhere.example.com"\. The next try is after 20\d\d-/);
  });

  test('a host with a CA serves its certificates while the CA is down, and reports that for new names', async () => {
    await serve(host, ['old.example.com']);
    await host.reached('old.example.com', 'issued');
    const root = await host.ca.issuingRoot();
    await host.ca.down();
    await serve(host, ['old.example.com', 'new.example.com']);
    const { detail } = await host.reached('new.example.com', 'failed');
    await host.ca.up();
    expect(detail).toMatch(/^The CA can't be reached: .*connection refused/);
    expect(await getSecurely(host.config.httpsPort, 'old.example.com', root)).toBe('shop');
  });

  test('a host that returns to its own CA serves over HTTP what it had redirected', async () => {
    await serve(host, ['moved.example.com']);
    await host.reached('moved.example.com', 'issued');
    expect((await visit('moved.example.com')).status).toBe(308);
    await host.restart({ acmeDirectory: 'internal' });
    expect(await visit('moved.example.com')).toMatchObject({ status: 200, body: 'shop' });
    expect(await handshake(host.config.httpsPort, 'moved.example.com')).toMatchObject({
      issuer: expect.stringContaining('Caddy Local Authority'),
    });
  });
});
