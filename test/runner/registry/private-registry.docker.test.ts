/** Pulls from a real registry that wants a login. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { pullImage } from '../../../runner/registry/pull-image.ts';
import { type TestHost, testHost } from '../../support/docker/docker-host.ts';
import { testContext } from '../../support/runner/job-context.ts';
import {
  type MadeImage,
  makeImage,
  pushImage,
  registryUser,
  startRegistry,
} from '../../support/servers/image-registry.ts';

let host: TestHost;
let image: MadeImage;
let registry: Awaited<ReturnType<typeof startRegistry>>;
let registryHost: string;

beforeAll(async () => {
  host = await testHost();
  image = await makeImage();
  const open = await startRegistry(host.dataDirectory);
  await pushImage(open.url, 'team/app', image);
  await open.stop();
  registry = await startRegistry(host.dataDirectory, true);
  registryHost = new URL(registry.url).host;
});
afterAll(async () => {
  await registry.stop();
  await host.remove();
  await rm(host.dataDirectory, { recursive: true, force: true });
});

const loginOf = (id: string, more = {}) => [{ id, host: registryHost, ...registryUser, ...more }];
const pull = (name: string, logins?: ReturnType<typeof loginOf>, context = testContext()) =>
  pullImage(host.docker, name, { allowPrivate: true, logins }, context);
const imageOf = (id: string) => host.docker.engine.getImage(id);

test('a login gives the image, and nobody without it finds the copy on the host, not even by digest', async () => {
  const context = testContext();
  const id = await pull(`${registryHost}/team/app:1`, loginOf('reg_a'), context);
  onTestFinished(() => imageOf(id).remove({ force: true }));
  const { RepoTags } = await imageOf(id).inspect();
  expect(RepoTags).toEqual([expect.stringMatching(/^longshore-private:[0-9a-f]{64}$/)]);
  expect(context.text()).not.toContain(registryUser.password);
  for (const name of [`${registryHost}/team/app:1`, `${registryHost}/team/app@${image.digest}`]) {
    await expect(pull(name)).rejects.toMatchObject({
      code: 'image_failed',
      message: expect.stringContaining('store a login for its registry'),
    });
  }
  await expect(pull(RepoTags[0] ?? '')).rejects.toMatchObject({ code: 'source_refused' });
  await registry.stop();
  expect(await pull(`${registryHost}/team/app:1`, loginOf('reg_a'))).toBe(id);
  await expect(pull(`${registryHost}/team/app:1`, loginOf('reg_b'))).rejects.toMatchObject({
    code: 'image_failed',
  });
});

test('a login that the registry refuses is told, with whose it is', async () => {
  registry = await startRegistry(host.dataDirectory, true);
  registryHost = new URL(registry.url).host;
  await expect(
    pull(`${registryHost}/team/app:1`, loginOf('reg_a', { password: 'wrong' })),
  ).rejects.toMatchObject({
    code: 'registry_unauthorized',
    message: expect.stringContaining(`refuses the login of "ada" at ${registryHost}`),
  });
});
