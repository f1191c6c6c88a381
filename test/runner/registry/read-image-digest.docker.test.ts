/** Questions for the digest of a tag, to a real registry and to ones that misbehave. Docker gives only its settings. */
import { rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../runner/base/clock.ts';
import { readImageDigest } from '../../../runner/registry/read-image-digest.ts';
import { type TestHost, testHost } from '../../support/docker/docker-host.ts';
import {
  digestOf,
  imageType,
  type MadeImage,
  makeImage,
  pushImage,
  registryUser,
  startRegistry,
} from '../../support/servers/image-registry.ts';
import { listening } from '../../support/servers/private-listener.ts';

let host: TestHost;
let image: MadeImage;

beforeAll(async () => {
  host = await testHost();
  image = await makeImage();
});
afterAll(async () => {
  await host.remove();
  await rm(host.dataDirectory, { recursive: true, force: true });
});

const settings = { mirrors: [], insecureNetworks: ['127.0.0.0/8'], insecureHosts: [] };
const ask = (name: string, more = {}) =>
  readImageDigest(host.docker, name, { allowPrivate: true, settings: settings as never, ...more });

/** A registry that gives every question this answer. */
async function answering(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  onTestFinished(() => server.closeAllConnections());
  return `127.0.0.1:${await listening(server)}`;
}

test('a tag and an index are found by their headers, also with a login, and a deleted tag is missing', async () => {
  const open = await startRegistry(host.dataDirectory);
  await pushImage(open.url, 'team/app', image);
  const openHost = new URL(open.url).host;
  expect(await ask(`${openHost}/team/app:1`)).toEqual({ found: 'digest', digest: image.digest });
  const index = await ask(`${openHost}/team/app:index`);
  expect(index).toMatchObject({ found: 'digest', digest: expect.not.stringContaining(image.digest) });
  expect(await ask(`${openHost}/team/app:gone`)).toMatchObject({
    found: 'failure',
    reason: expect.stringContaining('was the tag deleted'),
  });
  await open.stop();
  expect(await ask(`${openHost}/team/app:1`)).toMatchObject({
    found: 'failure',
    reason: expect.stringContaining('cannot be reached'),
  });
  const closed = await startRegistry(host.dataDirectory, true);
  const closedHost = new URL(closed.url).host;
  const login = { id: 'reg_a', host: closedHost, ...registryUser };
  const name = `${closedHost}/team/app:1`;
  expect(await ask(name, { logins: [login] })).toEqual({ found: 'digest', digest: image.digest });
  expect(await ask(name, { logins: [{ ...login, password: 'wrong' }] })).toMatchObject({
    found: 'failure',
    reason: expect.stringContaining('refuses the login of "ada"'),
  });
  expect(await ask(name)).toMatchObject({ reason: expect.stringContaining('is a login missing') });
  await closed.stop();
});

test('only the headers are requested, or the manifest if the registry sends no digest', async () => {
  const methods: string[] = [];
  const name = await answering(({ method = '' }, response) => {
    methods.push(method);
    response.writeHead(200, { 'content-type': imageType });
    response.end(method === 'HEAD' ? undefined : image.manifest);
  });
  expect(await ask(`${name}/app:1`)).toEqual({ found: 'digest', digest: digestOf(image.manifest) });
  expect(methods).toEqual(['HEAD', 'GET']);
});

test('a registry that limits questions is not asked again, and its wait is passed on', async () => {
  let asked = 0;
  const name = await answering((_, response) => {
    asked++;
    response.writeHead(429, { 'retry-after': '3600' }).end();
  });
  expect(await ask(`${name}/app:1`)).toMatchObject({
    found: 'failure',
    reason: expect.stringContaining('gives no answers for now'),
    waitMs: 3_600_000,
  });
  expect(asked).toBe(1);
});

test('a registry that does not answer is given up after 25 s', async () => {
  const name = await answering(() => {});
  const clock = {
    ...systemClock,
    now: () => systemClock.now(),
    after: (delayMs: number, run: () => void) => systemClock.after(delayMs === 25_000 ? 50 : delayMs, run),
  };
  expect(await ask(`${name}/app:1`, { clock })).toMatchObject({
    found: 'failure',
    reason: expect.stringContaining('did not answer in 25 s'),
  });
});

test.each([
  ['a private address', 'app:1', { allowPrivate: false }, 'private'],
  ["the platform's own image", 'longshore-private:1', {}, 'cannot be used'],
])('%s is refused before anything is sent', async (_, path, more, words) => {
  let asked = 0;
  const name = await answering((_request, response) => {
    asked++;
    response.end();
  });
  expect(await ask(`${name}/${path}`, more)).toMatchObject({
    found: 'failure',
    reason: expect.stringContaining(words),
  });
  expect(asked).toBe(0);
});
