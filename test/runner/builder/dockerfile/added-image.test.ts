/** Files that a Dockerfile adds by URL: fetched by the runner, from public addresses alone. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { storeAdded } from '../../../../runner/builder/dockerfile/added-image.ts';
import type { AddedFile } from '../../../../runner/builder/dockerfile/rewriting.ts';

let directory: string;
let server: Server;
let port: number;
let asked: string[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'longshore-added-'));
  asked = [];
  server = createServer((request, response) => {
    asked.push(`${request.headers.host} ${request.url}`);
    const [, to] = /^\/to\/(.*)/.exec(request.url ?? '') ?? [];
    if (to) return void response.writeHead(302, { location: decodeURIComponent(to) }).end();
    if (request.url === '/circle') return void response.writeHead(302, { location: '/circle' }).end();
    if (request.url === '/missing') return void response.writeHead(404).end();
    response.writeHead(200, { 'last-modified': 'Sun, 06 Nov 1994 08:49:37 GMT' }).end('content');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});

afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(directory, { recursive: true, force: true });
});

const file = (url: string, checksum: string | null = null): AddedFile => ({
  path: '0/f',
  mode: 0o600,
  source: { type: 'url', url: new URL(url), checksum, line: 7 },
});

const store = (url: string, { allowPrivate = true, checksum = null as string | null } = {}) =>
  storeAdded([file(url, checksum)], directory, {
    allowPrivate,
    resolve: async (host) => [host === 'public.example' ? '127.0.0.1' : '192.168.7.7'],
    signal: AbortSignal.timeout(20_000),
  });

test.each([
  'http://127.0.0.1',
  'http://[::1]',
  'http://169.254.169.254',
  'http://inner.example',
  'http://2130706433',
  'http://0x7f.1',
])('an address of the host’s own networks is refused, and never asked: %s', async (origin) => {
  await expect(store(`${origin}:${port}/latest/meta-data`, { allowPrivate: false })).rejects.toMatchObject({
    code: 'source_refused',
    message: expect.stringContaining('private address'),
  });
  expect(asked).toEqual([]);
});

test('a redirect is followed hop by hop, each checked and connected to where it was checked', async () => {
  const target = encodeURIComponent(`http://public.example:${port}/f`);
  const { files } = await store(`http://public.example:${port}/to/${target}`);
  expect(await readFile(files[0]?.place ?? '', 'utf8')).toBe('content');
  expect(files[0]?.modifiedAt.toISOString()).toBe('1994-11-06T08:49:37.000Z');
  expect(asked).toEqual([`public.example:${port} /to/${target}`, `public.example:${port} /f`]);
});

test.each([['file:///etc/passwd'], ['gopher://127.0.0.1/x'], ['http://user:secret@127.0.0.1/']])(
  'a redirect to %s is refused',
  async (target) => {
    const url = `http://public.example:${port}/to/${encodeURIComponent(target)}`;
    await expect(store(url)).rejects.toMatchObject({
      code: 'source_refused',
      message: 'Line 7 of the Dockerfile names a download that is no http or https URL.',
    });
  },
);

test.each([
  ['/circle', 'redirects in a circle'],
  ['/missing', 'answers with status 404'],
])('%s fails with its line: it %s', async (path, words) => {
  await expect(store(`http://public.example:${port}${path}`)).rejects.toMatchObject({
    code: 'source_failed',
    message: expect.stringMatching(new RegExp(`line 7: .*${words}`)),
  });
});

test('a checksum is held to the content', async () => {
  const right = 'ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73';
  await store(`http://public.example:${port}/f`, { checksum: `sha256:${right}` });
  const wrong = store(`http://public.example:${port}/f`, { checksum: `sha256:${'0'.repeat(64)}` });
  await expect(wrong).rejects.toMatchObject({
    code: 'source_refused',
    message: expect.stringContaining(right),
  });
});
