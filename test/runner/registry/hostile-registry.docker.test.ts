/** What a hostile registry may try, in front of a real Docker. It stands for the operator's mirror: nothing else here may be private. */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../../runner/base/clock.ts';
import { imageId, pullByName } from '../../../runner/docker/images.ts';
import { pullImage } from '../../../runner/registry/pull-image.ts';
import { useTestHost } from '../../support/docker/use-scenes.ts';
import { testContext } from '../../support/runner/job-context.ts';
import { until } from '../../support/runner/until.ts';
import { imageType, type MadeImage, makeImage } from '../../support/servers/image-registry.ts';
import { listening, privateListener } from '../../support/servers/private-listener.ts';

const host = useTestHost();
let image: MadeImage;

beforeAll(async () => {
  image = await makeImage();
});

type Trick = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Serves the image well, but for the trick. */
async function registry(trick: Trick, served = image) {
  const server = createServer((request, response) => {
    if (trick(request, response)) return;
    if (request.url === '/v2/') return void response.end('{}');
    sendPart(served, request, response);
  });
  onTestFinished(() => server.closeAllConnections());
  return await listening(server);
}

function sendPart(served: MadeImage, { url = '' }: IncomingMessage, response: ServerResponse) {
  const manifest = url.includes('/manifests/') ? Buffer.from(served.manifest) : undefined;
  const bytes = manifest ?? served.blobs.get(url.split('/').at(-1) ?? '') ?? Buffer.alloc(0);
  const digest = manifest ? { 'docker-content-digest': served.digest } : {};
  response.writeHead(200, { 'content-type': imageType, 'content-length': bytes.length, ...digest });
  response.end(bytes);
}

const on =
  (part: string, act: (response: ServerResponse, request: IncomingMessage) => void): Trick =>
  (request, response) => {
    if (!request.url?.includes(part)) return false;
    act(response, request);
    return true;
  };
const redirect = (status: number, location: string) => (response: ServerResponse) =>
  void response.writeHead(status, { location }).end();

/** Pulls a new name from the mirror on this port, by the name that only this resolver knows. */
function pullFrom(port: number, { clock = systemClock as Clock, name = 'mirror.test' } = {}) {
  const repository = `t${randomBytes(6).toString('hex')}/app`;
  const settings = { mirrors: [`http://${name}:${port}`], insecureNetworks: [], insecureHosts: [] };
  const resolve = async (asked: string) => (asked.endsWith('.test') ? ['127.0.0.1'] : []);
  const access = { allowPrivate: false, resolve, settings, clock };
  const pulled = pullImage(host.docker, `${repository}:1`, access, testContext());
  onTestFinished(() =>
    host.docker.engine
      .getImage(`${repository}:1`)
      .remove()
      .catch(() => undefined),
  );
  return { pulled, repository };
}

const blobPart = () => `/blobs/${image.layer}`;

test.each<[string, (address: string) => Trick]>([
  ['a redirect of the manifest', (to) => on('/manifests/', redirect(307, to))],
  ['a redirect of a layer', (to) => on(blobPart(), redirect(302, to))],
  [
    'a realm',
    (to) =>
      on('/v2/', (response) => {
        response.writeHead(401, { 'www-authenticate': `Bearer realm="${to}",service="x"` }).end();
      }),
  ],
])('%s leads Docker to a private address, and the runner refuses it', async (_, trick) => {
  const secret = await privateListener();
  const port = await registry(trick(secret.url));
  const { pulled } = pullFrom(port);
  await expect(pulled).rejects.toMatchObject({
    code: 'source_refused',
    message: expect.stringContaining('leads to a private address'),
  });
  expect(secret.connections()).toBe(0);
  // What Docker does by itself shows that the trick works.
  const stop = new AbortController();
  const direct = { repository: `127.0.0.1:${port}/app`, tag: '1' };
  const alone = pullByName(host.docker, direct, () => undefined, stop.signal).catch(() => undefined);
  await until('Docker connects to the private address', () => secret.connections() > 0);
  stop.abort(new Error('seen'));
  await alone;
});

test.each<[string, () => Trick, RegExp, string]>([
  [
    'a redirect to the metadata service',
    () => on('/manifests/', redirect(302, 'https://169.254.169.254/')),
    /private address/,
    'source_refused',
  ],
  [
    'a redirect to a name with a private address',
    () => on(blobPart(), redirect(302, 'https://inside.test/')),
    /private address/,
    'source_refused',
  ],
  [
    'a redirect to plain http',
    () => on(blobPart(), redirect(302, 'http://192.88.98.1/')),
    /not https/,
    'source_refused',
  ],
  [
    'redirects without end',
    () => on('/manifests/', (response, { url = '' }) => redirect(307, `${url}x`)(response)),
    /redirected more than 5 times/,
    'image_failed',
  ],
  [
    'a layer without end',
    () =>
      on(blobPart(), (response) => {
        const more = setInterval(() => response.write(Buffer.alloc(10_000)), 1);
        response.once('close', () => clearInterval(more));
      }),
    /longer than its manifest says/,
    'image_failed',
  ],
  [
    'a layer of another length',
    () => on(blobPart(), (response) => void response.end('short')),
    /another length/,
    'image_failed',
  ],
  [
    'a layer of other bytes',
    () =>
      on(blobPart(), (response) => {
        response.end(randomBytes(image.blobs.get(image.layer)?.length ?? 0));
      }),
    /verification failed/,
    'image_failed',
  ],
  [
    'a manifest of many megabytes',
    () => on('/manifests/', (response) => void response.end(Buffer.alloc(5 * 2 ** 20))),
    /larger than 4 MiB/,
    'image_failed',
  ],
  [
    'a manifest of schema 1',
    () => on('/manifests/', (response) => void response.end('{"schemaVersion":1}')),
    /old schema 1/,
    'image_failed',
  ],
  [
    'a layer at an address of its own',
    () =>
      on('/manifests/', (response) => {
        const manifest = JSON.parse(image.manifest);
        manifest.layers[0].urls = ['http://169.254.169.254/'];
        response.end(JSON.stringify(manifest));
      }),
    /outside its registry/,
    'source_refused',
  ],
  [
    'a login',
    () =>
      on('/manifests/', (response) => {
        response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
      }),
    /was not found, or it is private/,
    'image_failed',
  ],
  [
    'no such image',
    () => on('/manifests/', (response) => void response.writeHead(404).end()),
    /was not found, or it is private/,
    'image_failed',
  ],
])('%s ends the pull with a sentence', async (_, trick, sentence, code) => {
  const { pulled, repository } = pullFrom(await registry(trick()));
  await expect(pulled).rejects.toMatchObject({ code, message: expect.stringMatching(sentence) });
  expect(await imageId(host.docker, `${repository}:1`)).toBeUndefined();
});

/** A minute is 60 ms. */
const hurried: Clock = { ...systemClock, after: (ms, work) => systemClock.after(ms / 1000, work) };

test('a manifest that comes byte by byte ends after a minute', async () => {
  const trickle = on('/manifests/', (response) => {
    const more = setInterval(() => response.write('{'), 5);
    response.once('close', () => clearInterval(more));
  });
  const { pulled } = pullFrom(await registry(trickle), { clock: hurried });
  await expect(pulled).rejects.toMatchObject({ message: expect.stringContaining('cannot be reached') });
});

test('the token is sent to the registry, and not to its redirects', async () => {
  const seen: string[] = [];
  const store = await registry((request) => {
    seen.push(`store ${request.headers.authorization}`);
    return false;
  });
  const port: number = await registry((request, response) => {
    if (request.url === '/v2/') return false;
    if (request.url?.startsWith('/token')) response.end('{"token":"secret"}');
    else if (request.headers.authorization !== 'Bearer secret') {
      const realm = `http://mirror.test:${port}/token`;
      response.writeHead(401, { 'www-authenticate': `Bearer realm="${realm}",service="x"` }).end();
    } else if (request.url?.includes('/blobs/'))
      redirect(307, `http://store.test:${store}${request.url}`)(response);
    else return false;
    return true;
  });
  const repository = `t${randomBytes(6).toString('hex')}/app`;
  const mirrors = [`http://mirror.test:${port}`, `http://store.test:${store}`];
  const settings = { mirrors, insecureNetworks: [], insecureHosts: [] };
  const access = { allowPrivate: false, resolve: async () => ['127.0.0.1'], settings };
  const id = await pullImage(host.docker, `${repository}:1`, access, testContext());
  onTestFinished(() =>
    host.docker.engine
      .getImage(`${repository}:1`)
      .remove()
      .then(() => undefined),
  );
  expect(await imageId(host.docker, `${repository}:1`)).toBe(id);
  expect(new Set(seen)).toEqual(new Set(['store undefined']));
});

test('a registry that asks for patience is asked again, and at last believed', async () => {
  let asked = 0;
  const busy = (times: number) =>
    on('/manifests/', (response, request) => {
      asked += 1;
      if (asked > times) return sendPart(image, request, response);
      const errors = [{ code: 'TOOMANYREQUESTS', message: 'pull rate limit' }];
      response.writeHead(429, { 'retry-after': '2' }).end(JSON.stringify({ errors }));
    });
  await pullFrom(await registry(busy(2)), {
    clock: { ...hurried, after: (ms, work) => systemClock.after(ms === 60_000 ? ms : 1, work) },
  }).pulled;
  expect(asked).toBe(3);
  asked = 0;
  const { pulled } = pullFrom(await registry(busy(9)), {
    clock: { ...hurried, after: (ms, work) => systemClock.after(ms === 60_000 ? ms : 1, work) },
  });
  await expect(pulled).rejects.toMatchObject({
    message: expect.stringMatching(/toomanyrequests.*pull rate limit/),
  });
  expect(asked).toBe(3);
});
