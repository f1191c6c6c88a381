/** Time limits of traffic rules over real Caddy: what they end, and above all what they leave alone. */
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TrafficRules } from '../../../protocol/traffic/traffic-rules.ts';
import { ask, rawGet } from '../../support/docker/ask.ts';
import { routeTo, startApp, type TestApp } from '../../support/docker/test-proxy.ts';
import { useTestProxy } from '../../support/docker/use-scenes.ts';
import { noTrafficRules } from '../../support/runner/no-traffic-rules.ts';

const host = useTestProxy();
const name = 'shop.localhost';
const idleMs = 10_000;
/** What a stream sends in a test: longer than the idle time in all, with shorter pauses. */
const beats = 4;
const beatMs = 4_000;
let app: TestApp;
const asked = new Map<string, number>();

beforeAll(async () => {
  app = await startApp('127.9.0.8', (incoming, response) => {
    asked.set(incoming.url ?? '', (asked.get(incoming.url ?? '') ?? 0) + 1);
    void answer(incoming, response);
  });
  app.server.on('upgrade', ({ url }, socket) => {
    socket.on('error', () => {});
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n');
    if (url !== '/silent') void beatOver(socket);
  });
});

afterAll(() => app?.close());

async function beatOver(socket: Duplex): Promise<void> {
  for (let beat = 1; beat <= beats; beat += 1) {
    await pause(beatMs);
    socket.write(`beat ${beat}\n`);
  }
  socket.end();
}

async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  switch (incoming.url) {
    case '/never':
      return;
    case '/upload': {
      let bytes = 0;
      for await (const chunk of incoming) bytes += (chunk as Buffer).length;
      return void response.end(`${bytes}`);
    }
    case '/silent':
      return void response.write('data: first\n\n');
    case '/events':
      for (let beat = 1; beat <= beats; beat += 1) {
        await pause(beatMs);
        response.write(`data: ${beat}\n\n`);
      }
      return void response.end();
    default:
      response.end('here');
  }
}

const apply = (rules: Partial<TrafficRules>) =>
  host.proxy.traffic.switchTo({
    ...routeTo(app, { hostnames: [name] }),
    rules: {
      ...noTrafficRules,
      ...rules,
    },
  });

/** What came until the other side ended the connection, and after how long. */
function until(path: string, headers = ''): Promise<{ text: string; ms: number }> {
  const from = performance.now();
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(host.config.httpPort, '127.0.0.1', () =>
      socket.write(rawGet(name, path).replace('Connection: close\r\n', headers)),
    );
    socket
      .setEncoding('utf8')
      .on('data', (chunk: string) => (text += chunk))
      .on('error', () => {})
      .on('close', () => resolve({ text, ms: performance.now() - from }));
  });
}
const webSocket =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';

/** A body in pieces, without a length, that takes longer than the idle time. */
function slowUpload(): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { host: name };
    const at = { host: '127.0.0.1', port: host.config.httpPort, path: '/upload', agent: false };
    const sent = request({ ...at, method: 'POST', headers }, (reply) => {
      let body = '';
      reply
        .on('data', (chunk) => (body += chunk))
        .on('end', () => resolve({ status: reply.statusCode, body }));
    });
    sent.on('error', reject);
    void (async () => {
      for (let beat = 0; beat < beats; beat += 1) {
        sent.write('0123456789');
        await pause(beatMs);
      }
      sent.end();
    })();
  });
}

test('an idle time ends what is silent for longer, once, and neither uploads nor streams that go on', {
  tags: 'slow',
  timeout: 60_000,
}, async () => {
  await apply({ idleTimeoutSeconds: 10 });
  const [never, silent, events, upload, quietSocket, busySocket] = await Promise.all([
    ask(host.config.httpPort, name, { path: '/never', headers: { accept: 'text/html' } }),
    until('/silent', 'Connection: close\r\n'),
    until('/events', 'Connection: close\r\n'),
    slowUpload(),
    until('/silent', webSocket),
    until('/events', webSocket),
  ]);
  expect([never.status, never.body]).toEqual([504, expect.stringContaining('takes too long to answer')]);
  // Go's client would repeat a GET on a kept connection.
  expect(asked.get('/never')).toBe(1);
  expect(silent.text).toContain('data: first');
  for (const { ms } of [never, silent, quietSocket]) {
    expect(ms).toBeGreaterThan(idleMs - 500);
    expect(ms).toBeLessThan(idleMs + 3_000);
  }
  expect(quietSocket.text).toMatch(/^HTTP\/1\.1 101 /);
  expect(events.text).toContain(`data: ${beats}`);
  expect(busySocket.text).toContain(`beat ${beats}`);
  expect(upload).toEqual({ status: 200, body: `${beats * 10}` });
});

test('the time for the first byte ends no event stream, no WebSocket and no upload', {
  tags: 'slow',
  timeout: 60_000,
}, async () => {
  await apply({ firstByteTimeoutSeconds: 5, idleTimeoutSeconds: 60 });
  const [never, silent, socket, upload] = await Promise.all([
    ask(host.config.httpPort, name, { path: '/never', headers: { accept: 'application/json' } }),
    Promise.race([until('/silent'), pause(8_000, 'goes on')]),
    until('/events', webSocket),
    slowUpload(),
  ]);
  expect([never.status, never.ms < 6_400]).toEqual([504, true]);
  expect(silent).toBe('goes on');
  expect(socket.text).toContain(`beat ${beats}`);
  expect(upload).toEqual({ status: 200, body: `${beats * 10}` });
});
