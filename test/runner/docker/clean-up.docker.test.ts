/** Clean-up with two instances and a stranger on one Docker. */
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { labels } from '../../../protocol/names.ts';
import { cleanUp, cleanUpLimits } from '../../../runner/docker/clean-up.ts';
import { connectDocker, type DockerHost } from '../../../runner/docker/client.ts';
import { inspectImage, serviceImages, tagImage } from '../../../runner/docker/images.ts';
import { type TestHost, testHost, testId } from '../../support/docker/docker-host.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

let mine: TestHost;
let other: TestHost;
/** Takes no build cache from anybody who works on this machine. */
const limits = { buildCacheBytes: 1e15, untaggedAgeSeconds: 0 };
const strangers: string[] = [];

beforeAll(async () => {
  mine = await testHost();
  other = await testHost();
});

afterAll(async () => {
  for (const id of strangers) await mine.docker.engine.getImage(id).remove({ force: true });
  await mine?.remove();
  await other?.remove();
});

/** An image of its own content, without a name unless one is given. */
async function image(host: DockerHost, withLabels: Record<string, string>, tag?: string): Promise<string> {
  const base = await host.engine.createContainer({
    Image: 'node:24-slim',
    Env: [`MARK=${testId('job')}`],
    Labels: { [labels.instance]: host.instance },
  });
  const { Id } = await base.commit({
    ...(tag ? { repo: tag } : {}),
    changes: [
      'LABEL kept=no',
      ...Object.entries(withLabels).map(([key, value]) => `LABEL ${key}=${value}`),
    ].join('\n'),
  });
  await base.remove();
  return Id;
}

test('a clean-up removes the nameless images of its instance, and no live, kept or foreign ones', async () => {
  const own = { [labels.instance]: mine.docker.instance };
  const foreign = { [labels.instance]: other.docker.instance };
  const live = await image(mine.docker, own);
  const kept = await image(mine.docker, own, `longshore-${testId('service')}-${testId('deployment')}`);
  const ofOther = await image(other.docker, foreign);
  const ofStranger = await image(other.docker, { [labels.instance]: 'none' });
  strangers.push(ofStranger);
  const container = await mine.docker.engine.createContainer({ Image: live, Labels: own });
  // The youngest: when it is old enough to go, all others are, too.
  const nameless = await image(mine.docker, own);
  const there = async (id: string) => (await inspectImage(mine.docker, id)) !== undefined;
  // Docker counts ages in whole seconds.
  const cleanedUp = async (id: string) => {
    await cleanUp(mine.docker, limits);
    return !(await there(id));
  };
  await expect.poll(() => cleanedUp(nameless), { timeout: 10_000 }).toBe(true);
  for (const id of [live, kept, ofOther, ofStranger]) expect(await there(id)).toBe(true);
  await container.remove();
  await cleanUp(mine.docker, { ...limits, untaggedAgeSeconds: 3_600 });
  expect(await there(live), 'younger than the limit').toBe(true);
  await expect.poll(() => cleanedUp(live), { timeout: 10_000 }).toBe(true);
});

test('the build cache is pruned down to its budget, never whole', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ SpaceReclaimed: request.url?.startsWith('/build') ? 7 : null }));
  });
  const socketPath = join(temporaryDirectory(), 'docker.sock');
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  onTestFinished(() => void server.close());
  const daemon = connectDocker('run_aaaaaaaaaaaaaaaa', { socketPath });
  expect(await cleanUp(daemon, await cleanUpLimits(daemon, 5_000))).toBe(7);
  expect(asked.at(-1)).toBe('POST /build/prune?keep-storage=5000000000');
});

test('the budget of the build cache is 10 GB, or a fifth of a small disk', async () => {
  const { buildCacheBytes } = await cleanUpLimits(mine.docker, null);
  expect(buildCacheBytes).toBeGreaterThan(0);
  expect(buildCacheBytes).toBeLessThanOrEqual(10e9);
});

test("a service that is built on two instances has its own images on each: the other's are not counted among them", async () => {
  const serviceId = testId('service');
  const tag = () => `longshore-${serviceId}-${testId('deployment')}`;
  const [ownTag, otherTag, pulledTag] = [tag(), tag(), tag()];
  await image(mine.docker, { [labels.instance]: mine.docker.instance }, ownTag);
  await image(other.docker, { [labels.instance]: other.docker.instance }, otherTag);
  await tagImage(mine.docker, 'node:24-slim', pulledTag);
  strangers.push(pulledTag);
  expect((await serviceImages(mine.docker, serviceId)).sort()).toEqual([ownTag, pulledTag].sort());
  expect((await serviceImages(other.docker, serviceId)).sort()).toEqual([otherTag, pulledTag].sort());
});
