/** Apps that speak HTTP/2 without TLS, such as gRPC servers, behind the real proxy, with a real client over TLS. */
import {
  type ClientHttp2Stream,
  connect,
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { checkOnce } from '../../../runner/proxy/health-check.ts';
import type { ContainerTarget } from '../../../runner/proxy/traffic.ts';
import { ask } from '../../support/docker/ask.ts';
import { routeTo, startApp } from '../../support/docker/test-proxy.ts';
import { useTestProxy } from '../../support/docker/use-scenes.ts';

const host = useTestProxy();
const name = 'grpc.localhost';
let app: GrpcApp;

interface GrpcApp {
  target: ContainerTarget;
  server: Http2Server;
  seen: IncomingHttpHeaders[];
}

/** One message: no compression, its length, its bytes (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md). */
function message(text: string): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(Buffer.byteLength(text), 1);
  return Buffer.concat([head, Buffer.from(text)]);
}

function messages(bytes: Buffer): string[] {
  if (bytes.length < 5) return [];
  const end = 5 + bytes.readUInt32BE(1);
  return [bytes.subarray(5, end).toString(), ...messages(bytes.subarray(end))];
}

async function startGrpc(address: string, label: string): Promise<GrpcApp> {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer();
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    seen.push(headers);
    stream.on('error', () => {});
    if (headers[':path'] === '/health') return void stream.respond({ ':status': 200 }, { endStream: true });
    if (headers[':path'] === '/Greeter/Refuse')
      return void stream.respond(
        { 'content-type': 'application/grpc', 'grpc-status': '7', 'grpc-message': 'not you' },
        { endStream: true },
      );
    stream.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'x-label': label }));
    if (headers[':path'] === '/Greeter/Chat') {
      stream.on('data', (bytes: Buffer) => {
        for (const text of messages(bytes)) stream.write(message(`${label} heard ${text}`));
      });
      stream.on('end', () => stream.end());
    } else stream.end(message(label));
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const { port } = server.address() as AddressInfo;
  return { target: { type: 'container', address, port, protocol: 'h2c' }, server, seen };
}

/** A client of its own for each call, over TLS. */
function call(path: string) {
  const options = { servername: name, rejectUnauthorized: false };
  const session = connect(`https://127.0.0.1:${host.config.httpsPort}`, options);
  session.on('error', () => {});
  const stream = session.request({
    ':method': 'POST',
    ':authority': name,
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  const headers = new Promise<IncomingHttpHeaders>((resolve, reject) =>
    stream.once('response', resolve).once('error', reject),
  );
  const trailers = new Promise<IncomingHttpHeaders>((resolve) => stream.once('trailers', resolve));
  stream.once('close', () => session.destroy());
  return { stream, headers, trailers };
}

async function unary(path = '/Greeter/Hello', text = 'hello') {
  const { stream, headers, trailers } = call(path);
  stream.end(message(text));
  const [{ ':status': status }, bytes, end] = await Promise.all([headers, buffer(stream), trailers]);
  return { status, texts: messages(bytes), end };
}

const nextMessage = (stream: ClientHttp2Stream) =>
  new Promise<string[]>((resolve) => stream.once('data', (bytes: Buffer) => resolve(messages(bytes))));

const route = (target: ContainerTarget, deploymentId = 'dep_1') =>
  routeTo(target, {
    ...{ serviceId: 'svc_grpc', deploymentId, hostnames: [name], target },
    hostPort: host.config.webPorts.first,
  });

beforeAll(async () => {
  app = await startGrpc('127.9.8.1', 'one');
});
afterEach(async () => {
  await host.proxy.traffic.remove('svc_grpc');
});
afterAll(() => {
  app?.server.close();
});

test('a gRPC call over TLS reaches an app that speaks HTTP/2 without TLS, and gets its trailers', async () => {
  await host.proxy.traffic.switchTo(route(app.target));
  expect(await unary()).toMatchObject({
    status: 200,
    texts: ['one'],
    end: { 'grpc-status': '0', 'x-label': 'one' },
  });
  expect(app.seen.at(-1)).toMatchObject({
    ':authority': name,
    te: 'trailers',
    'x-forwarded-proto': 'https',
    'x-forwarded-for': '127.0.0.1',
  });
});

test('a gRPC call that is refused without a message gets status and reason', async () => {
  await host.proxy.traffic.switchTo(route(app.target));
  const { stream, headers } = call('/Greeter/Refuse');
  stream.resume().end(message('hello'));
  expect(await headers).toMatchObject({ ':status': 200, 'grpc-status': '7', 'grpc-message': 'not you' });
});

test('messages of a gRPC stream pass in both directions while it is open', async () => {
  await host.proxy.traffic.switchTo(route(app.target));
  const { stream, trailers } = call('/Greeter/Chat');
  for (const text of ['a', 'b', 'c']) {
    const heard = nextMessage(stream);
    stream.write(message(text));
    expect(await heard).toEqual([`one heard ${text}`]);
  }
  stream.end();
  stream.resume();
  expect(await trailers).toMatchObject({ 'grpc-status': '0' });
});

test('clients with HTTP/1.1 reach such an app by its name and its host port', async () => {
  await host.proxy.traffic.switchTo(route(app.target));
  const port = host.config.webPorts.first;
  const path = '/health';
  expect((await ask(host.config.httpPort, name, { path })).status).toBe(200);
  expect((await ask(port, `127.0.0.1:${port}`, { path })).status).toBe(200);
});

test('switches between an app with HTTP/1.1, and versions and replicas with HTTP/2, lose no call', {
  tags: 'slow',
}, async () => {
  const two = await startGrpc('127.9.8.2', 'two');
  const plain = await startApp('127.9.8.3', 'plain');
  const { traffic } = host.proxy;
  await traffic.switchTo(route(app.target));
  const labels = new Set<string>();
  let isOver = false;
  const load = (async () => {
    while (!isOver) for (const label of (await unary()).texts) labels.add(label);
  })();
  await traffic.switchTo(route({ ...two.target }, 'dep_2'));
  await expect.poll(() => labels.has('two')).toBe(true);
  isOver = true;
  await load;
  await traffic.switchTo(route({ type: 'container', address: plain.address, port: plain.port }, 'dep_3'));
  expect(await ask(host.config.httpPort, name)).toMatchObject({ status: 200, body: 'plain' });
  await traffic.switchTo(route(app.target, 'dep_4'));
  expect((await unary()).texts).toEqual(['one']);
  two.server.close();
  await plain.close();
});

test('calls to replicas with HTTP/2 are spread over them', async () => {
  const port = 18_500;
  const both = await Promise.all(
    ['127.9.8.4', '127.9.8.5'].map(async (address) => {
      const started = await startGrpc(address, address);
      started.server.close();
      const server = createServer((_request, response) => response.end(message(address)));
      await new Promise<void>((resolve) => server.listen(port, address, resolve));
      return server;
    }),
  );
  const target = { ...app.target, address: '127.9.8.4', port, others: ['127.9.8.5'] };
  await host.proxy.traffic.switchTo(route(target));
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => ask(host.config.httpPort, name).then(({ body }) => body.slice(5))),
  );
  expect(answers.sort()).toEqual(['127.9.8.4', '127.9.8.4', '127.9.8.5', '127.9.8.5']);
  for (const server of both) server.close();
});

test('a gRPC call to an app that is held or asleep waits, with its message, until the app serves', async () => {
  const { traffic } = host.proxy;
  const live = { serviceId: 'svc_grpc', deploymentId: 'dep_1' };
  await traffic.switchTo(route(app.target));
  await traffic.setHeld(live, Date.now() + 60_000);
  const held = unary();
  expect(await Promise.race([held, new Promise((resolve) => setTimeout(resolve, 300, 'waits'))])).toBe(
    'waits',
  );
  await traffic.setHeld(live, null);
  expect((await held).texts).toEqual(['one']);
  await traffic.setAsleep(live, { asleepSince: Date.now(), lastWokeAt: null, lastWakeMs: null });
  const asleep = unary();
  expect(await Promise.race([asleep, new Promise((resolve) => setTimeout(resolve, 300, 'waits'))])).toBe(
    'waits',
  );
  await traffic.setAsleep(live, { asleepSince: null, lastWokeAt: Date.now(), lastWakeMs: 1 });
  expect((await asleep).texts).toEqual(['one']);
});

test('the health check of such an app is HTTP/2', async () => {
  const { address, port } = app.target;
  const target = { address, port, hostname: name, scheme: 'https', protocol: 'h2c' } as const;
  expect(await checkOnce({ ...target, path: '/health' }, 2_000)).toEqual({ healthy: true });
  expect(app.seen.at(-1)).toMatchObject({ ':authority': name, 'x-forwarded-proto': 'https' });
  expect(await checkOnce({ ...target, protocol: 'http1', path: '/health' }, 2_000)).toMatchObject({
    healthy: false,
  });
});
