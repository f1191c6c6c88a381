import { createHash, pbkdf2Sync } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TrafficRules } from '../../../protocol/traffic/traffic-rules.ts';
import { ask, type Reply, rawGet, sendRaw, tcp } from '../../support/docker/ask.ts';
import { keepAsking } from '../../support/docker/keep-asking.ts';
import { routeTo, startApp, type TestApp } from '../../support/docker/test-proxy.ts';
import { useTestProxy } from '../../support/docker/use-scenes.ts';
import { noTrafficRules } from '../../support/runner/no-traffic-rules.ts';

const host = useTestProxy();
const name = 'shop.localhost';
let app: TestApp;
let route: ReturnType<typeof routeTo>;
let slowMs = 0;

beforeAll(async () => {
  app = await startApp('127.9.0.7', (incoming, response) => {
    let length = 0;
    incoming.on('data', (chunk: Buffer) => {
      length += chunk.length;
    });
    incoming.on('end', () => {
      const seen = { ...incoming.headers, method: incoming.method, url: incoming.url, length };
      response.setHeader('x-frame-options', 'SAMEORIGIN').setHeader('x-powered-by', 'app');
      setTimeout(() => response.end(JSON.stringify(seen)), slowMs);
    });
  });
  app.server.on('upgrade', (upgrade, socket) => {
    const accept = createHash('sha1')
      .update(`${upgrade.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
      .digest('base64');
    socket.end(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
  });
  route = routeTo(app, { hostnames: [name, 'www.localhost'] });
});

afterAll(() => app?.close());

const apply = (rules?: Partial<TrafficRules>) =>
  host.proxy.traffic.switchTo(rules ? { ...route, rules: { ...noTrafficRules, ...rules } } : route);
const visit = (path = '/', more: Parameters<typeof ask>[2] = {}, at = name) =>
  ask(host.config.httpPort, at, { path, ...more });

const redirect = (more: Partial<TrafficRules['redirects'][number]>) => ({
  domains: [],
  path: '/',
  match: 'prefix' as const,
  to: '/',
  status: 308 as const,
  keepPath: true,
  ...more,
});
const salt = Buffer.alloc(16, 7);
const hash = (password: string) =>
  `1000:${salt.toString('base64')}:${pbkdf2Sync(password, salt, 1000, 32, 'sha256').toString('base64')}`;
const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
const team = { domains: [], users: [{ name: 'team', hash: hash('right') }], openPaths: ['/open'] };

test('redirects lead from www to the apex and from old paths to new ones, with the query, and never to a foreign host', async () => {
  await apply({
    redirects: [
      redirect({ domains: ['www.localhost'], to: 'https://shop.localhost' }),
      redirect({ path: '/old', to: '/new', status: 307 }),
      redirect({ path: '/one', match: 'exact', to: '/other', keepPath: false }),
      redirect({ path: '/gone', to: '/' }),
    ],
  });
  const location = async (path: string, at = name) => {
    const { status, headers } = await visit(path, {}, at);
    return [status, headers.location];
  };
  expect(await location('/a/b?x=1', 'www.localhost')).toEqual([308, 'https://shop.localhost/a/b?x=1']);
  expect(await location('/old/x?y=2')).toEqual([307, 'http://shop.localhost/new/x?y=2']);
  expect(await location('/one')).toEqual([308, 'http://shop.localhost/other']);
  for (const path of ['/one/more', '/older', '/new']) expect(await location(path)).toEqual([200, undefined]);
  expect(await location('/gone//evil.example')).toEqual([308, 'http://shop.localhost//evil.example']);
});

test('a password is asked for, whatever the spelling of the name, and the app gets neither the password nor the request without it', async () => {
  await apply({ basicAuth: team });
  const refused = await visit('/', { headers: { accept: 'text/html' } });
  expect([refused.status, refused.headers['www-authenticate']]).toEqual([
    401,
    'Basic realm="shop.localhost", charset="UTF-8"',
  ]);
  expect(refused.body).toContain('shop.localhost asks for a password');
  for (const at of ['SHOP.localhost', 'Shop.LocalHost:80', 'shop.localhost:1']) {
    expect((await visit('/', {}, at)).status, at).toBe(401);
  }
  expect((await visit('/open/../secret')).status).toBe(401);
  expect((await visit('/open')).status).toBe(200);
  expect((await visit('/', { headers: basic('team', 'wrong') })).status).toBe(401);
  const right = await visit('/a?b=c', { headers: { ...basic('team', 'right'), 'x-own': 'kept' } });
  expect(JSON.parse(right.body)).toMatchObject({ url: '/a?b=c', method: 'GET', 'x-own': 'kept', host: name });
  expect(JSON.parse(right.body)).not.toHaveProperty('authorization');
});

test('a client that guesses is stopped after 20 wrong passwords', async () => {
  await apply({ basicAuth: { ...team, users: [{ name: 'other', hash: hash('fine') }] } });
  const guesses = await Promise.all(
    Array.from({ length: 30 }, (_, index) => visit('/', { headers: basic('other', `guess ${index}`) })),
  );
  expect(guesses.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(20);
  expect(guesses.find(({ status }) => status === 429)?.headers['retry-after']).toBe('60');
});

test('maintenance answers 503 with a page to all but the allowed addresses', async () => {
  const maintenance = { domains: [], retryAfterSeconds: 120, allowedAddresses: ['192.0.2.0/24'] };
  await apply({ maintenance });
  const page = await visit('/', { headers: { accept: 'text/html' } });
  expect([page.status, page.headers['retry-after']]).toEqual([503, '120']);
  expect(page.body).toContain('shop.localhost is under maintenance');
  expect(page.body).not.toMatch(/127\.|longshore/i);
  await apply({ maintenance: { ...maintenance, allowedAddresses: ['127.0.0.0/8'] } });
  expect((await visit()).status).toBe(200);
  await apply({ maintenance: { ...maintenance, domains: ['www.localhost'] } });
  expect([(await visit()).status, (await visit('/', {}, 'www.localhost')).status]).toEqual([200, 503]);
  await expect(host.proxy.traffic.probe('www.localhost')).resolves.toMatchObject({
    ok: true,
    detail: expect.stringContaining('answered 503 by the traffic rules'),
  });
});

test('rules use the address and the scheme of the visitor that a trusted proxy names, and of no other', async () => {
  const maintenance = { domains: [], retryAfterSeconds: 120, allowedAddresses: ['198.51.100.7'] };
  const by = (forwarded: string) =>
    visit('/', { headers: { 'x-forwarded-for': forwarded, 'x-forwarded-proto': 'https' } });
  await apply({ maintenance });
  expect((await by('198.51.100.7')).status).toBe(503);
  await host.restart({ trustedProxies: ['127.0.0.1'] });
  expect((await by('198.51.100.7')).status).toBe(200);
  expect((await by('198.51.100.7, 198.51.100.8')).status).toBe(503);
  await apply({ redirects: [redirect({ path: '/', match: 'exact', to: '/new', keepPath: false })] });
  expect((await by('198.51.100.7')).headers.location).toBe(`https://${name}/new`);
  await host.restart({ trustedProxies: [] });
});

test('headers are set, added and removed in both directions, with values that look like placeholders', async () => {
  await apply({
    requestHeaders: [
      { action: 'set', name: 'X-Env', value: '{http.request.host} {env.HOME}' },
      { action: 'remove', name: 'User-Agent', value: '' },
    ],
    responseHeaders: [
      { action: 'set', name: 'X-Frame-Options', value: 'DENY' },
      { action: 'add', name: 'X-Added', value: 'one, two' },
      { action: 'remove', name: 'X-Powered-By', value: '' },
    ],
  });
  const reply = await visit('/', { headers: { 'user-agent': 'test', 'x-own': 'kept' } });
  expect(reply.headers).toMatchObject({ 'x-frame-options': 'DENY', 'x-added': 'one, two' });
  expect(reply.headers).not.toHaveProperty('x-powered-by');
  const seen = JSON.parse(reply.body);
  expect(seen).toMatchObject({ 'x-env': '{http.request.host} {env.HOME}', 'x-own': 'kept' });
  expect(seen).not.toHaveProperty('user-agent');
  const all = [...Object.keys(seen), ...Object.keys(reply.headers)].join(' ');
  expect(all).not.toContain('longshore');
  expect(Object.keys(seen)).not.toContain('');
});

/** Sends a body of this many bytes in chunks, so without Content-Length. */
function upload(bytes: number, accept = '*/*'): Promise<Pick<Reply, 'status' | 'headers' | 'body'>> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port: host.config.httpPort,
        method: 'POST',
        agent: false,
        headers: { host: name, accept },
      },
      (answer) => {
        const { statusCode: status = 0, headers } = answer;
        text(answer).then((body) => resolve({ status, headers, body }), reject);
      },
    );
    sent.on('error', reject);
    sent.write(Buffer.alloc(bytes - 1));
    sent.end('x');
  });
}

test('a body above the limit is refused, with a length and without, and one below it arrives whole', async () => {
  await apply({ maxBodyMegabytes: 1 });
  const announced = await sendRaw(
    tcp(host.config.httpPort),
    `POST / HTTP/1.1\r\nHost: ${name}\r\nContent-Length: 1000001\r\n\r\n`,
  );
  expect(announced).toMatch(/^HTTP\/1\.1 413 /);
  expect(await upload(1_000_000)).toMatchObject({ status: 200 });
  const sentence = `The request is too large. ${name} takes at most 1 MB.`;
  const [plain, json, page] = await Promise.all(
    ['*/*', 'application/json', 'text/html,*/*'].map((accept) => upload(1_200_000, accept)),
  );
  const headers = { 'x-longshore-answer': 'rule', 'cache-control': 'no-store' };
  expect(plain).toMatchObject({ status: 413, headers, body: `${sentence}\n` });
  expect(json).toMatchObject({ status: 413, headers });
  expect(JSON.parse(json?.body ?? '')).toEqual({ error: sentence, code: 'body_too_large' });
  expect(page).toMatchObject({ status: 413, headers: { 'content-type': 'text/html; charset=utf-8' } });
  expect(page?.body).toContain(`<h1>The request is too large</h1>\n<p>${name} takes at most 1 MB.</p>`);
});

test('an app that is later than the time for its first byte is answered 504', async () => {
  await apply({ firstByteTimeoutSeconds: 5 });
  slowMs = 15_000;
  const late = await visit();
  slowMs = 0;
  expect(late.status).toBe(504);
  expect(late.ms).toBeLessThan(14_000);
  expect((await visit()).status).toBe(200);
});

test('a WebSocket and a body pass through rules', async () => {
  await apply({ basicAuth: team });
  const upgrade = rawGet(name).replace('Connection: close', 'Connection: Upgrade\r\nUpgrade: websocket');
  const key = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
  const { authorization } = basic('team', 'right');
  const headers = `${key}Authorization: ${authorization}\r\n\r\n`;
  expect(await sendRaw(tcp(host.config.httpPort), upgrade.replace(/\r\n$/, headers))).toMatch(
    /^HTTP\/1\.1 101 /,
  );
});

test('rules change without a lost request, last over restarts of edge and Caddy, and leave no file behind', async () => {
  await apply();
  const asking = keepAsking(host.config.httpPort, name);
  for (let round = 0; round < 5; round += 1) {
    await apply({ responseHeaders: [{ action: 'set', name: 'X-Round', value: `${round}` }] });
    expect((await visit()).headers['x-round']).toBe(`${round}`);
    await apply();
  }
  const { failures, answers } = await asking.stop();
  expect([failures, answers > 100]).toEqual([[], true]);
  await apply({ basicAuth: team });
  await host.restart();
  expect((await visit()).status).toBe(401);
  process.kill(await host.pidOf('edge'), 'SIGKILL');
  expect((await visit()).status).toBe(401);
  await apply();
  expect((await visit()).status).toBe(200);
  expect(await readdir(join(host.dataDir, 'caddy', 'ruled-names'))).toEqual([]);
});
