/**
 * An abort of a pull ends the connection to the registry, and no image is left.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { imageId } from '../../../runner/docker/images.ts';
import { pullImage } from '../../../runner/registry/pull-image.ts';
import { testHost } from '../../support/docker/docker-host.ts';
import { testContext } from '../../support/runner/job-context.ts';
import { until } from '../../support/runner/until.ts';
import { digestOf } from '../../support/servers/image-registry.ts';

/** A registry (https://distribution.github.io/distribution/spec/api/) with one image, whose layer comes slowly and never ends. */
async function heldRegistry() {
  const config = JSON.stringify({
    architecture: 'amd64',
    os: 'linux',
    rootfs: { type: 'layers', diff_ids: [digestOf('layer')] },
  });
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: 'application/vnd.docker.distribution.manifest.v2+json',
    config: {
      mediaType: 'application/vnd.docker.container.image.v1+json',
      size: config.length,
      digest: digestOf(config),
    },
    layers: [
      {
        mediaType: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
        size: 10 ** 9,
        digest: digestOf(`${Math.random()}`),
      },
    ],
  });
  const reached = Promise.withResolvers<void>();
  let lost = 0;
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path === '/v2/') return void response.end('{}');
    if (path.includes('/manifests/')) {
      const type = 'application/vnd.docker.distribution.manifest.v2+json';
      response.writeHead(200, {
        'content-type': type,
        'content-length': manifest.length,
        'docker-content-digest': digestOf(manifest),
      });
      return void response.end(request.method === 'HEAD' ? undefined : manifest);
    }
    if (path.endsWith(digestOf(config))) return void response.end(config);
    response.writeHead(200, { 'content-length': 10 ** 9 });
    const trickle = setInterval(() => response.write(Buffer.alloc(1000)), 20);
    response.once('close', () => {
      clearInterval(trickle);
      lost++;
    });
    reached.resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { name: `127.0.0.1:${port}/held:1`, reached: reached.promise, lost: () => lost };
}

test('aborting a pull ends the connection to the registry, and the job keeps its reason', async () => {
  const host = await testHost();
  onTestFinished(() => host.remove());
  const registry = await heldRegistry();
  const context = testContext();
  const pulled = pullImage(host.docker, registry.name, { allowPrivate: true }, context);
  pulled.catch(() => undefined);
  await registry.reached;
  context.abort();
  await expect(pulled).rejects.toMatchObject({ name: 'JobStopped', reason: 'aborted' });
  await until('nobody asks the registry any more', () => registry.lost() > 0);
  expect(await imageId(host.docker, registry.name)).toBeUndefined();
});
