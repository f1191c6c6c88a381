/** Base images of a build, against a daemon of the test's own: images that vanish, and names that only one deployment has. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectDocker } from '../../../../runner/docker/client.ts';
import type { Attempt } from '../../../../runner/jobs/parts/attempt.ts';
import { pinImages } from '../../../../runner/jobs/parts/pin-images.ts';
import { testContext } from '../../../support/runner/job-context.ts';
import { temporaryDirectory } from '../../../support/runner/temporary-directory.ts';

const hash = 'ab'.repeat(32);
const image = JSON.stringify({ Id: `sha256:${hash}`, Config: {} });

let daemon: Server;
/** A registry that has every image. */
let registry: Server;
let name: string;
let socketPath: string;
let pulls: number;
let tags: string[];
/** Whether Docker has an image of this name or id. */
let has: (name: string) => boolean;

beforeEach(async () => {
  pulls = 0;
  tags = [];
  socketPath = join(temporaryDirectory(), 'docker.sock');
  registry = createServer((_, response) => {
    response.setHeader('content-type', 'application/vnd.oci.image.index.v1+json');
    response.end('{"schemaVersion":2,"manifests":[]}');
  });
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
  name = `127.0.0.1:${(registry.address() as AddressInfo).port}/node:24`;
  daemon = createServer((request, response) => {
    request.resume();
    const url = new URL(request.url ?? '', 'http://docker');
    const asked = decodeURIComponent(/\/images\/(.+)\/json$/.exec(url.pathname)?.[1] ?? '');
    if (url.pathname.endsWith('/images/create')) {
      pulls += 1;
      response.end('{"status":"pulled"}\r\n');
    } else if (url.pathname.endsWith('/tag')) {
      tags.push(url.searchParams.get('repo') ?? '');
      response.writeHead(201).end();
    } else if (url.pathname.endsWith('/info')) {
      const config = { RegistryConfig: { InsecureRegistryCIDRs: ['127.0.0.0/8'] } };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(config));
    } else if (asked !== '' && has(asked))
      response.writeHead(200, { 'content-type': 'application/json' }).end(image);
    else response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"No such image"}');
  });
  await new Promise<void>((resolve) => daemon.listen(socketPath, resolve));
});

afterEach(() => {
  daemon.closeAllConnections();
  daemon.close();
  registry.closeAllConnections();
  registry.close();
});

function pin(deploymentId: string) {
  const attempt = {
    parts: { docker: connectDocker('run_test', { socketPath }), allowPrivateSources: true },
    spec: { serviceId: 'svc_a', deploymentId },
    secrets: { env: {}, gitToken: null },
    context: testContext(),
  } as unknown as Attempt;
  return pinImages(attempt, new Set([name]));
}

test('an image that is gone right after each pull ends the build with a sentence', async () => {
  // It is there once after each pull, for the pull's own question, and gone a moment later.
  let seen = 0;
  has = (asked) => asked.includes('/longshore-pulls/') && seen < pulls && ++seen > 0;
  await expect(pin('dep_1')).rejects.toMatchObject({
    code: 'image_failed',
    message: expect.stringMatching(/node:24 was pulled 3 times, and each time .* removed it/),
  });
  expect(pulls).toBe(3);
});

test('the names of base images are of one deployment, so that the clean-up after another never takes them', async () => {
  has = () => true;
  await pin('dep_1');
  await pin('dep_2');
  expect(tags).toEqual(['dep_1', 'dep_2'].map((of) => `longshore-svc_a-base-${of}-${hash.slice(0, 16)}`));
});
