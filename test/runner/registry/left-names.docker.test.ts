/** What a runner leaves on images that is killed in the middle of a pull. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../runner/base/clock.ts';
import { tagImage } from '../../../runner/docker/images.ts';
import { reconcile } from '../../../runner/host/reconcile.ts';
import { removeLeftNames } from '../../../runner/registry/left-names.ts';
import { openPullEndpoint } from '../../../runner/registry/pull-endpoint.ts';
import { RemoteRepository } from '../../../runner/registry/remote-repository.ts';
import { useTestHost } from '../../support/docker/use-scenes.ts';
import { startChild } from '../../support/runner/child.ts';
import { memoryTraffic } from '../../support/runner/memory-traffic.ts';
import { makeImage, pushImage, startRegistry } from '../../support/servers/image-registry.ts';

const host = useTestHost();
let registry: Awaited<ReturnType<typeof startRegistry>>;
beforeAll(async () => {
  registry = await startRegistry(host.dataDirectory);
});
afterAll(async () => {
  await registry.stop();
});

/** Names of endpoints of this host's runner. */
async function endpointNames(): Promise<string[]> {
  const images = await host.docker.engine.listImages();
  const names = images.flatMap(({ RepoTags, RepoDigests }) => [...(RepoTags ?? []), ...(RepoDigests ?? [])]);
  return names.filter((name) => name.includes(`/longshore-pulls/${host.docker.instance.toLowerCase()}/`));
}

test('the next start removes the name that a killed runner left on an image', async () => {
  await pushImage(registry.url, 'team/killed', await makeImage());
  const image = `${registry.url.replace('http://', '')}/team/killed:1`;
  const pulling = startChild('test/support/runner/pulling.ts', [host.docker.instance, image], {
    CRASH_AT: 'pull:named',
  });
  expect(await pulling.ended, pulling.output()).toBe('SIGKILL');
  expect(await endpointNames()).toHaveLength(1);
  const parts = { docker: host.docker, traffic: memoryTraffic(), dataDirectory: host.dataDirectory };
  const claims = { deployments: new Set<string>(), containers: new Set<string>() };
  await reconcile({ ...parts, say: () => undefined }, () => claims);
  expect(await endpointNames()).toEqual([]);
});

test('the name of a pull that still runs is kept until the pull has ended', async () => {
  const guard = {
    allowPrivate: true,
    trusted: new Set<string>(),
    resolve: async () => [],
    signal: new AbortController().signal,
  };
  const remote = new RemoteRepository({ base: new URL(registry.url), path: 'x' }, guard, systemClock);
  const manifest = { bytes: Buffer.alloc(0), type: '', digest: 'sha256:x', sizes: new Map() };
  const endpoint = await openPullEndpoint(remote, manifest, host.docker.instance);
  onTestFinished(() => endpoint.close());
  const [base] = await host.docker.engine.listImages({ filters: { reference: ['node:24-slim'] } });
  await tagImage(host.docker, base?.Id ?? '', { repository: endpoint.repository, tag: '1' });
  await removeLeftNames(host.docker);
  expect(await endpointNames()).toEqual([`${endpoint.repository}:1`]);
  await endpoint.close();
  await removeLeftNames(host.docker);
  expect(await endpointNames()).toEqual([]);
});
