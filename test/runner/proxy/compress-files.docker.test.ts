/** Static files of apps behind the real proxy: compressed unless the app has done so, and nothing else. */
import { request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { routeTo, startApp, type TestApp } from '../../support/docker/test-proxy.ts';
import { useTestProxy } from '../../support/docker/use-scenes.ts';

const host = useTestProxy();
const words = 'the same words again '.repeat(500);
let app: TestApp;

beforeAll(async () => {
  app = await startApp('127.9.0.9', ({ url = '', headers }, response) => {
    const path = url.replace(/[?].*/, '');
    if (path.startsWith('/stream')) {
      response.writeHead(200, { 'content-type': 'application/json' }).write('first');
      setTimeout(() => response.end('last'), 1_000);
    } else if (path === '/packed.js') {
      response.writeHead(200, { 'content-encoding': 'gzip', etag: '"packed"' }).end(gzipSync(words));
    } else if (headers['if-none-match'] === '"one"') response.writeHead(304, { etag: '"one"' }).end();
    else if (headers.range) {
      const part = { 'content-range': `bytes 4-7/${words.length}`, 'content-length': 4 };
      response.writeHead(206, part).end('same');
    } else {
      const text = path.startsWith('/small') ? 'a{}' : words;
      const status = path.startsWith('/absent') ? 404 : 200;
      response.writeHead(status, { 'content-length': text.length, etag: '"one"' }).end(text);
    }
  });
  await host.proxy.traffic.switchTo(routeTo(app));
});
afterAll(() => app?.close());

function get(path: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer; firstMs: number }>(
    (resolve, reject) => {
      const from = performance.now();
      const sent = { host: 'shop.localhost', 'accept-encoding': 'gzip, br', ...headers };
      request(
        { host: '127.0.0.1', port: host.config.httpPort, path, agent: false, headers: sent },
        (answer) => {
          let firstMs = 0;
          answer.once('readable', () => {
            firstMs = performance.now() - from;
          });
          const { statusCode: status = 0, headers: got } = answer;
          buffer(answer).then((body) => resolve({ status, headers: got, body, firstMs }), reject);
        },
      )
        .on('error', reject)
        .end();
    },
  );
}

test.each(['/app.js', '/style.CSS?v=1', '/a/icon.svg', '/app.js.map', '/app.wasm'])(
  'the static file %s of an app is sent by gzip to clients that accept it',
  async (path) => {
    const { headers, body } = await get(path);
    expect(headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
    expect(body.length).toBeLessThan(words.length / 10);
    expect(gunzipSync(body).toString()).toBe(words);
    const plain = await get(path, { 'accept-encoding': 'identity' });
    expect([plain.headers['content-encoding'], plain.body.toString()]).toEqual([undefined, words]);
  },
);

test.each(['/photo.jpg', '/font.woff2', '/small.css', '/absent.js', '/page', '/api/orders'])(
  'the answer for %s is passed on as the app sends it',
  async (path) => {
    const { headers, body } = await get(path);
    expect(headers['content-encoding']).toBeUndefined();
    expect(Number(headers['content-length'])).toBe(body.length);
  },
);

test('what an app has compressed itself, ranges and 304 are passed on unchanged', async () => {
  const packed = await get('/packed.js');
  expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', etag: '"packed"' });
  expect(gunzipSync(packed.body).toString()).toBe(words);
  const part = await get('/app.js', { range: 'bytes=4-7' });
  expect([part.status, part.headers['content-encoding'], part.body.toString()]).toEqual([
    206,
    undefined,
    'same',
  ]);
  const { etag } = (await get('/app.js')).headers;
  expect((await get('/app.js', { 'if-none-match': String(etag) })).status).toBe(304);
});

test('streams reach the client at once, also below a name like that of a file', async () => {
  for (const path of ['/stream', '/stream.json']) {
    const { headers, firstMs, body } = await get(path);
    expect([headers['content-encoding'], body.toString()]).toEqual([undefined, 'firstlast']);
    expect(firstMs).toBeLessThan(900);
  }
});
