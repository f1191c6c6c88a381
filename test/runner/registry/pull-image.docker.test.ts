/** Pulls from a real registry through the runner. */
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Clock, systemClock } from '../../../runner/base/clock.ts';
import { imageId } from '../../../runner/docker/images.ts';
import { pullImage } from '../../../runner/registry/pull-image.ts';
import { type TestHost, testHost } from '../../support/docker/docker-host.ts';
import { type LimitedRegistry, openLimitedRegistry } from '../../support/real-world/limited-registry.ts';
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

/** A second takes a millisecond; a minute, which is a limit, stays one. */
const hurried: Clock = {
  ...systemClock,
  after: (ms, work) => systemClock.after(ms < 60_000 ? ms / 1_000 : ms, work),
};

async function limited() {
  const front: LimitedRegistry = await openLimitedRegistry(registry.url);
  onTestFinished(() => front.close());
  const pullFrom = (path: string, context = testContext()): Promise<string> =>
    pullImage(host.docker, `${front.host}/${path}`, { allowPrivate: true, clock: hurried }, context);
  return { front, pullFrom };
}

test('an image comes whole from a registry that limits, fails for moments and ends connections in the middle of layers', async () => {
  const { front, pullFrom } = await limited();
  await pushImage(registry.url, 'team/limited', await makeImage(20_000_000));
  const soon = new Date(Date.now() + 5_000).toUTCString();
  front.trouble('token', [429, '2']);
  front.trouble('manifest', [429, soon]);
  front.trouble('blob', 'half', 'reset', [503], 'half', 'expired', [429, '3']);
  const id: string = await pullFrom('team/limited:1');
  onTestFinished(() => removed(`${front.host}/team/limited:1`));
  expect(await imageId(host.docker, `${front.host}/team/limited:1`)).toBe(id);
});

const inAnHour = (): number => Math.floor(Date.now() / 1_000) + 3_600;
test.each([
  ['seconds', (): string => '3600'],
  ['a date', (): string => new Date(inAnHour() * 1_000).toUTCString()],
  ['a time as Docker Hub writes it', (): string => String(inAnHour())],
] as const)(
  'a registry that asks for an hour, in %s, is asked once, and the failure says so',
  async (_, retryAfter) => {
    for (const part of ['token', 'manifest'] as const) {
      const { front, pullFrom } = await limited();
      front.trouble(part, [429, retryAfter()]);
      await expect(pullFrom('team/app:1')).rejects.toMatchObject({
        code: 'registry_rate_limited',
        message: expect.stringMatching(/toomanyrequests: .*; it asks to wait 3(600|59\d) s\)/),
      });
      expect(front.asked[part]).toBe(part === 'token' ? 1 : 2); // the first one has no token
    }
  },
);

test('a registry that gives no more pulls leaves the copy on the host', async () => {
  const { front, pullFrom } = await limited();
  const id = await pullFrom('team/app:1');
  onTestFinished(() => removed(`${front.host}/team/app:1`));
  front.trouble('manifest', [429], [429], [429]);
  const context = testContext();
  expect(await pullFrom('team/app:1', context)).toBe(id);
  expect(context.text()).toMatch(
    /gives no more pulls for now \(toomanyrequests: .*pull rate limit.*using the copy/,
  );
});
