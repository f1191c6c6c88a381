import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { proxyPaths } from '../../../runner/proxy/proxy-paths.ts';
import { ask, rawGet, sendRaw, tcp } from '../../support/docker/ask.ts';
import { routeTo, startApp, type TestApp } from '../../support/docker/test-proxy.ts';
import { useTestProxy } from '../../support/docker/use-scenes.ts';

const host = useTestProxy();
let shop: TestApp;

beforeAll(async () => {
  shop = await startApp('127.9.0.1', (request, response) => {
    response.setHeader('x-forwarded-seen', JSON.stringify(request.headers));
    response.end('shop');
  });
  await host.proxy.traffic.switchTo(routeTo(shop, { hostPort: host.config.webPorts.first }));
});

afterAll(async () => {
  await shop?.close();
});

test('a routed name reaches its app with the forwarding headers set by the proxy, not by the client', async () => {
  const reply = await ask(host.config.httpPort, 'shop.localhost', {
    headers: { 'x-forwarded-for': '6.6.6.6', 'x-forwarded-proto': 'https' },
  });
  expect([reply.status, reply.body]).toEqual([200, 'shop']);
  expect(JSON.parse(String(reply.headers['x-forwarded-seen']))).toMatchObject({
    host: 'shop.localhost',
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-proto': 'http',
  });
});

test('a name is served over IPv6 too, by HTTP and HTTPS, and the app sees the address of its visitor', async () => {
  const reply = await ask(host.config.httpPort, 'shop.localhost', { address: '::1' });
  expect([reply.status, reply.body]).toEqual([200, 'shop']);
  expect(JSON.parse(String(reply.headers['x-forwarded-seen']))['x-forwarded-for']).toBe('::1');
  const [port, servername] = [host.config.httpsPort, 'shop.localhost'];
  const secured = connectTls({ host: '::1', port, servername, rejectUnauthorized: false });
  expect(await sendRaw(secured, rawGet(servername))).toMatch(/^HTTP\/1.1 200 [\s\S]*shop/);
});

test('a client can forge no forwarding header by a spelling that CGI and WSGI take for the same', async () => {
  const forged = [
    'X_Forwarded_For',
    'X-Forwarded_For',
    'x_forwarded-for',
    'X_FORWARDED_PROTO',
    'X-Forwarded_Host',
  ];
  const headers = { ...Object.fromEntries(forged.map((name) => [name, '6.6.6.6'])), x_own_header: 'kept' };
  const reply = await ask(host.config.httpPort, 'shop.localhost', { headers });
  const seen = JSON.parse(String(reply.headers['x-forwarded-seen']));
  expect(seen).toMatchObject({ 'x-forwarded-for': '127.0.0.1', x_own_header: 'kept' });
  expect(JSON.stringify(seen)).not.toContain('6.6.6.6');
});

const seenBy = async (headers: Record<string, string>) => {
  const reply = await ask(host.config.httpPort, 'shop.localhost', { headers });
  return JSON.parse(String(reply.headers['x-forwarded-seen']));
};

test('a client can forge nothing about itself by headers of other proxies that frameworks believe', async () => {
  const forged = [
    ...['Forwarded', 'X-Real-IP', 'True-Client-IP', 'CF-Connecting-IP', 'CF-Visitor', 'X-Client-IP'],
    ...[
      'X-Forwarded-Port',
      'X-Forwarded-Prefix',
      'X-Forwarded-Server',
      'X-Forwarded-Ssl',
      'X-Forwarded-Host',
    ],
    ...[
      'X-Forwarded-Scheme',
      'X-Forwarded-User',
      'X-Original-URL',
      'X-Rewrite-URL',
      'X-Original-Host',
      'X-Host',
    ],
    ...[
      'Client-IP',
      'X-Cluster-Client-IP',
      'Fastly-Client-IP',
      'X-Envoy-External-Address',
      'Front-End-Https',
    ],
  ];
  const seen = await seenBy({
    ...Object.fromEntries(forged.map((name) => [name, '6.6.6.6'])),
    'x-http-method-override': 'PUT',
  });
  expect(JSON.stringify(seen)).not.toContain('6.6.6.6');
  expect(seen).toMatchObject({
    'x-real-ip': '127.0.0.1',
    'x-forwarded-host': 'shop.localhost',
    'x-http-method-override': 'PUT',
  });
});

test('a trusted proxy says who the visitor is, and what the visitor itself sent is dropped', async () => {
  await host.restart({ trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'] });
  const sent = { 'x-forwarded-for': '6.6.6.6, 198.51.100.7, 10.1.2.3', 'x-forwarded-proto': 'https' };
  expect(
    await seenBy({ ...sent, 'x-forwarded-host': 'shop.example', forwarded: 'for=6.6.6.6' }),
  ).toMatchObject({
    'x-forwarded-for': '198.51.100.7, 10.1.2.3, 127.0.0.1',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'shop.example',
    'x-real-ip': '198.51.100.7',
  });
  expect(await seenBy({})).toMatchObject({ 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'http' });
  expect(await seenBy({ 'x-forwarded-for': 'nonsense', 'x-forwarded-proto': 'ftp' })).toMatchObject({
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-proto': 'http',
  });
  const line = () =>
    readFileSync(proxyPaths(host.dataDir).requestLog, 'utf8').trim().split('\n').slice(-3)[0] ?? '';
  await expect.poll(() => JSON.parse(line()).user_id).toBe('198.51.100.0');
  const reply = await ask(host.config.httpPort, 'shop.localhost', { address: '::1', headers: sent });
  expect(JSON.parse(String(reply.headers['x-forwarded-seen']))).toMatchObject({
    'x-forwarded-for': '::1',
    'x-forwarded-proto': 'http',
  });
  await host.restart({ trustedProxies: [] });
});

test('an unknown name is 404 at once, with a sentence, or with JSON for clients that accept it', async () => {
  const reply = await ask(host.config.httpPort, 'nobody.localhost');
  expect(reply).toMatchObject({ status: 404, body: expect.stringContaining('nobody.localhost') });
  expect(reply.ms, 'not held for try_duration, 5 s').toBeLessThan(4_000);
  const json = await ask(host.config.httpPort, 'nobody.localhost', {
    headers: { accept: 'application/json' },
  });
  expect(JSON.parse(json.body)).toMatchObject({ code: 'no_route', error: expect.any(String) });
});

test('a browser gets a page for a name that leads nowhere', async () => {
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
  const reply = await ask(host.config.httpPort, 'nobody.localhost', { headers: { accept } });
  expect(reply).toMatchObject({ status: 404, headers: { 'content-type': 'text/html; charset=utf-8' } });
  expect(reply.body).toContain('Nothing is deployed under nobody.localhost on this host');
  expect(reply.body).toContain('name="viewport"');
});

test('upper case and a port in the Host header mean the same name', async () => {
  expect((await ask(host.config.httpPort, 'SHOP.localhost:8080')).body).toBe('shop');
});

test.each([
  '..',
  '../../etc',
  '%2e%2e',
  'a..b',
  'shop.localhost.',
  '-a',
  'a_b',
  `${'a'.repeat(64)}.localhost`,
  `${'a.'.repeat(130)}localhost`,
  '{http.request.uri}',
  'x:../..',
])('the Host header %j is refused with 400 at once', async (hostHeader) => {
  const from = performance.now();
  const answer = await sendRaw(tcp(host.config.httpPort), rawGet(hostHeader));
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(performance.now() - from, 'not held for try_duration, 5 s').toBeLessThan(4_000);
});

test('no Host header reaches host ports or the answer service itself', async () => {
  const { first } = host.config.webPorts;
  for (const name of [`_p${first}`, `p${first}`, '_state', '_none']) {
    const answer = await sendRaw(tcp(host.config.httpPort), rawGet(name));
    expect(answer, name).toMatch(/^HTTP\/1\.1 40[04] /);
  }
  const reply = await ask(host.config.httpPort, 'any.name', { path: '/ask?domain=shop.localhost' });
  expect(reply.status).toBe(404);
});

test('host ports lead to the app, whatever name the request carries', async () => {
  const { first } = host.config.webPorts;
  expect((await ask(first, `127.0.0.1:${first}`)).body).toBe('shop');
  expect((await ask(first, `localhost:${first}`)).body).toBe('shop');
});

test('host ports without a service are 404', async () => {
  const { last } = host.config.webPorts;
  expect((await ask(last, `127.0.0.1:${last}`)).status).toBe(404);
});

test('a probe reports that an app answers, with status and milliseconds', async () => {
  expect(await host.proxy.traffic.probe('Shop.localhost')).toEqual({
    ok: true,
    detail: expect.stringMatching(/^shop\.localhost answered 200 through the proxy in \d+ ms\.$/),
  });
});

test('a probe of a name with a certificate reaches the app by HTTPS, like its visitors', async () => {
  const seen: unknown[] = [];
  const app = await startApp('127.9.0.7', ({ headers }, response) => {
    seen.push([headers.host, headers['x-forwarded-host'], headers['x-forwarded-proto']]);
    response.end('secure');
  });
  const secured = join(proxyPaths(host.dataDir).httpsNames, 'secure.localhost');
  await host.proxy.traffic.switchTo(
    routeTo(app, { serviceId: 'svc_secure', hostnames: ['secure.localhost'] }),
  );
  await host.proxy.traffic.probe('secure.localhost');
  await writeFile(secured, '');
  expect(await host.proxy.traffic.probe('secure.localhost')).toMatchObject({ ok: true });
  const of = (scheme: string) => ['secure.localhost', 'secure.localhost', scheme];
  expect(seen).toEqual([of('http'), of('https')]);
  await rm(secured);
  await host.proxy.traffic.remove('svc_secure');
  await app.close();
});

test('a probe accepts a 404 where nothing should be', async () => {
  expect(await host.proxy.traffic.probe('gone.localhost')).toMatchObject({
    ok: true,
    detail: expect.stringContaining('404'),
  });
});

test('a probe fails for an app that does not listen, and the visitor gets a sentence, a browser a page', async () => {
  const dead = { address: '127.9.0.2', port: 9 };
  const traffic = host.proxy.traffic;
  await traffic.switchTo(routeTo(dead, { serviceId: 'svc_dead', hostnames: ['dead.localhost'] }));
  const [probe, visitor, browser] = await Promise.all([
    traffic.probe('dead.localhost'),
    ask(host.config.httpPort, 'dead.localhost'),
    ask(host.config.httpPort, 'dead.localhost', { headers: { accept: 'text/html' } }),
  ]);
  expect(probe).toEqual({ ok: false, detail: expect.stringContaining('does not answer (502') });
  expect(visitor).toMatchObject({ status: 502, body: expect.stringContaining('does not answer') });
  expect(browser).toMatchObject({
    status: 502,
    headers: { 'content-type': 'text/html; charset=utf-8', 'retry-after': '5' },
    body: expect.stringMatching(
      /^<!doctype html>[\s\S]*color-scheme:light dark\}[\s\S]*dead\.localhost is not answering[\s\S]*<\/html>\n$/,
    ),
  });
  await traffic.remove('svc_dead');
  expect(await traffic.probe('dead.localhost')).toMatchObject({ ok: true });
});

const handshake = (servername: string) =>
  new Promise<string>((resolve) => {
    const socket = connectTls(
      { host: '127.0.0.1', port: host.config.httpsPort, servername, rejectUnauthorized: false },
      () => {
        const { issuer, subjectaltname } = socket.getPeerCertificate();
        socket.destroy();
        resolve(`${subjectaltname} by ${issuer.CN}`);
      },
    );
    socket.on('error', (error) => resolve(`refused: ${error.message}`));
  });

test('a routed .localhost name gets a certificate of the internal CA in its first handshake', async () => {
  expect(await handshake('shop.localhost')).toMatch(/^DNS:shop\.localhost by Caddy Local Authority/);
});

test('an unknown name is refused in the handshake', async () => {
  expect(await handshake('stranger.localhost')).toMatch(/^refused: /);
});

test('requests over TLS reach the app', async () => {
  const socket = connectTls({
    host: '127.0.0.1',
    port: host.config.httpsPort,
    servername: 'shop.localhost',
    rejectUnauthorized: false,
  });
  expect(await sendRaw(socket, rawGet('shop.localhost'))).toMatch(/^HTTP\/1\.1 200 [\s\S]*shop/);
});
