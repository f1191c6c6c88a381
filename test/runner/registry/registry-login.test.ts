/** Logins at registries: what is sent, and to whom. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../../runner/base/clock.ts';
import { RemoteRepository } from '../../../runner/registry/remote-repository.ts';
import { systemResolve } from '../../../runner/source/system-resolve.ts';

const login = { username: 'ada', password: 'hunter2-secret' };
const basic = `Basic ${Buffer.from('ada:hunter2-secret').toString('base64')}`;
const type = 'application/vnd.docker.distribution.manifest.v2+json';
const manifest = JSON.stringify({
  schemaVersion: 2,
  mediaType: type,
  config: { digest: `sha256:${'a'.repeat(64)}`, size: 1 },
  layers: [],
});
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** @returns its origin, and the `Authorization` headers that it was sent, by path */
async function serve(handle: Handler) {
  const seen: [string, string | undefined][] = [];
  const server = createServer((request, response) => {
    seen.push([new URL(request.url ?? '/', 'http://x').pathname, request.headers.authorization]);
    handle(request, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const answer = (response: ServerResponse, status: number, headers = {}, body = '') =>
  response.writeHead(status, headers).end(body);
const remote = (origin: string, hasLogin = true) =>
  new RemoteRepository(
    { base: new URL(origin), path: 'team/app', login: hasLogin ? login : undefined },
    {
      allowPrivate: true,
      trusted: new Set(),
      resolve: systemResolve,
      signal: new AbortController().signal,
    },
    systemClock,
  );
const reads = '/v2/team/app/manifests/1';

test('a registry with Basic gets the login once it asks for it, and not before', async () => {
  const registry = await serve(({ headers }, response) =>
    headers.authorization === basic
      ? answer(response, 200, { 'content-type': type }, manifest)
      : answer(response, 401, { 'www-authenticate': 'Basic realm="team"' }),
  );
  expect((await remote(registry.origin).manifest('1')).bytes.toString()).toBe(manifest);
  expect(registry.seen).toEqual([
    [reads, undefined],
    [reads, basic],
  ]);
});

test('a token server of the registry gets the login, and the registry only its token', async () => {
  const registry = await serve(({ url, headers }, response) => {
    if (url?.startsWith('/token')) return answer(response, 200, {}, JSON.stringify({ token: 'granted' }));
    if (headers.authorization === 'Bearer granted')
      return answer(response, 200, { 'content-type': type }, manifest);
    answer(response, 401, { 'www-authenticate': `Bearer realm="${registry.origin}/token",service="team"` });
  });
  await remote(registry.origin).manifest('1');
  expect(registry.seen).toEqual([
    [reads, undefined],
    ['/token', basic],
    [reads, 'Bearer granted'],
  ]);
});

test('a token server of another domain gets no login, and the sentence names it', async () => {
  const foreign = await serve((_, response) => answer(response, 200, {}, JSON.stringify({ token: 'x' })));
  const elsewhere = foreign.origin.replace('127.0.0.1', 'localhost');
  const registry = await serve((_, response) =>
    answer(response, 401, { 'www-authenticate': `Bearer realm="${elsewhere}/token"` }),
  );
  await expect(remote(registry.origin).manifest('1')).rejects.toMatchObject({
    trouble: 'broken',
    message: expect.stringContaining(`${elsewhere} as its token server`),
  });
  expect(foreign.seen).toEqual([]);
});

test('a redirect to another origin takes no login along', async () => {
  const store = await serve((_, response) => answer(response, 200, { 'content-type': type }, manifest));
  const registry = await serve(({ headers }, response) =>
    headers.authorization
      ? answer(response, 307, { location: `${store.origin}/blob` })
      : answer(response, 401, { 'www-authenticate': 'Basic realm="team"' }),
  );
  await remote(registry.origin).manifest('1');
  expect(store.seen).toEqual([['/blob', undefined]]);
});

test.each([
  { status: 401, hasLogin: true, trouble: 'unauthorized' },
  { status: 403, hasLogin: true, trouble: 'unauthorized' },
  { status: 404, hasLogin: true, trouble: 'missing' },
  { status: 401, hasLogin: false, trouble: 'missing' },
  { status: 429, hasLogin: false, trouble: 'limited' },
])(
  'a registry that answers $status (login: $hasLogin) is told apart: $trouble',
  async ({ status, hasLogin, trouble }) => {
    const registry = await serve((_, response) => answer(response, status, { 'retry-after': '0.01' }));
    await expect(remote(registry.origin, hasLogin).manifest('1')).rejects.toMatchObject({ trouble });
  },
  20_000,
);
