/** Pulls from a real registry through the runner. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { imageId } from '../../../runner/docker/images.ts';
import { pullImage } from '../../../runner/registry/pull-image.ts';
import { type TestHost, testHost } from '../../support/docker/docker-host.ts';
import { testContext } from '../../support/runner/job-context.ts';
import { type MadeImage, makeImage, pushImage, startRegistry } from '../../support/servers/image-registry.ts';

let host: TestHost;
let image: MadeImage;
let registry: Awaited<ReturnType<typeof startRegistry>>;
let repository: string;

beforeAll(async () => {
  host = await testHost();
  registry = await startRegistry(host.dataDirectory);
  repository = `${registry.url.replace('http://', '')}/team/app`;
  image = await makeImage();
  await pushImage(registry.url, 'team/app', image);
});
afterAll(async () => {
  await registry.stop();
  await host.remove();
  await rm(host.dataDirectory, { recursive: true, force: true });
});

const pull = (name: string, context = testContext()) =>
  pullImage(host.docker, name, { allowPrivate: true }, context);
const removed = (name: string) => host.docker.engine.getImage(name).remove();
const namesOf = async (id: string) => {
  const { RepoTags, RepoDigests } = await host.docker.engine.getImage(id).inspect();
  return [...RepoTags, ...RepoDigests];
};

test.each(['1', 'index'])(
  'an image has its own name after the pull of the tag "%s", and no other',
  async (tag) => {
    const name = `${repository}:${tag}`;
    const context = testContext();
    const id = await pull(name, context);
    onTestFinished(() => removed(name));
    expect(await namesOf(id)).toEqual([name]);
    expect(context.text()).not.toContain('longshore-pulls');
  },
);

test('an image of a digest is pulled once, and needs no registry after that', async () => {
  const kept = `longshore-pinned:${image.digest.replace(':', '-')}`;
  const id = await pull(`${repository}@${image.digest}`);
  onTestFinished(() => removed(kept));
  expect(await namesOf(id)).toEqual([kept]);
  const context = testContext();
  expect(await pull(`127.0.0.1:9/other@${image.digest}`, context)).toBe(id);
  expect(context.text()).toBe('');
  await expect(pull(kept)).rejects.toMatchObject({ code: 'source_refused' });
});

test('a registry that may not be asked leaves the copy on the host', async () => {
  const name = `${repository}:1`;
  const id = await pull(name);
  onTestFinished(() => removed(name));
  const context = testContext();
  expect(await pullImage(host.docker, name, { allowPrivate: false }, context)).toBe(id);
  expect(context.text()).toMatch(/not contacted .*private address.*using the copy/);
});

test('two pulls of one image at once both succeed', async () => {
  const big = await makeImage(20_000_000);
  await pushImage(registry.url, 'team/big', big);
  const names = ['1', 'index'].map((tag) => `${repository.replace('/app', '/big')}:${tag}`);
  const ids = await Promise.all(names.map((name) => pull(name)));
  onTestFinished(async () => {
    for (const name of names) await removed(name);
  });
  expect(new Set(ids).size).toBe(1);
  expect(await imageId(host.docker, names[1] ?? '')).toBe(ids[0]);
});
