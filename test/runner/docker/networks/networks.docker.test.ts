import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { labels, projectNetworkName } from '../../../../protocol/names.ts';
import { call, connectDocker } from '../../../../runner/docker/client.ts';
import {
  ensureProjectNetwork,
  removeProjectNetwork,
  withFreeAddress,
} from '../../../../runner/docker/networks/networks.ts';
import { type TestHost, testHost, testId } from '../../../support/docker/docker-host.ts';

let host: TestHost;
let other: TestHost;
/** Four networks in all. */
const range = '10.212.8.0/22';

beforeAll(async () => {
  [host, other] = [await testHost(), await testHost()];
});

afterAll(async () => {
  await host?.remove();
  await other?.remove();
});

describe('project networks', () => {
  test('project networks of projects that begin at once get different ranges, and one project gets one network', async () => {
    const [first, second, third] = [testId('project'), testId('project'), testId('project')];
    const made = await Promise.all([
      ensureProjectNetwork(host.docker, first, range),
      ensureProjectNetwork(host.docker, first, range),
      ensureProjectNetwork(host.docker, second, range),
      ensureProjectNetwork(other.docker, third, range), // another runner on the same daemon
    ]);
    expect(made[0]).toEqual(made[1]);
    expect(new Set(made.map(({ subnet }) => subnet)).size).toBe(3);
    expect(await ensureProjectNetwork(host.docker, first, range)).toEqual(made[0]);
  });

  test('project networks end with a sentence when the range is used up, and a removed one is free again', async () => {
    const last = testId('project');
    await ensureProjectNetwork(host.docker, last, range);
    await expect(ensureProjectNetwork(host.docker, testId('project'), range)).rejects.toThrow(
      'The host has no free network range left in 10.212.8.0/22.',
    );
    await removeProjectNetwork(host.docker, last);
    await removeProjectNetwork(host.docker, last);
    await ensureProjectNetwork(host.docker, testId('project'), range);
  });
});

test('an address that a foreign container took on a project network is not given out', async () => {
  const projectId = testId('project');
  const network = await ensureProjectNetwork(other.docker, projectId, '10.212.16.0/24');
  const first = await withFreeAddress(other.docker, network, async (address) => address);
  const stranger = await other.docker.engine.createContainer({
    Image: 'node:24-slim',
    Cmd: ['sleep', '60'],
    Labels: { [labels.instance]: other.docker.instance },
    NetworkingConfig: {
      EndpointsConfig: { [projectNetworkName(projectId)]: { IPAMConfig: { IPv4Address: first } } },
    },
  });
  await stranger.start();
  expect(await withFreeAddress(other.docker, network, async (address) => address)).not.toBe(first);
  await stranger.remove({ force: true });
});

describe('a daemon that does not answer', () => {
  let silent: Server;
  let socketPath: string;

  beforeAll(async () => {
    socketPath = join(host.dataDirectory, 'silent.sock');
    silent = createServer().listen(socketPath);
    await new Promise((resolve) => silent.once('listening', resolve));
  });

  afterAll(() => void silent?.close());

  test('a daemon that does not answer fails the call at its deadline', async () => {
    const { engine } = connectDocker('x', { socketPath });
    await expect(call('read its version', () => engine.version(), { timeoutMs: 50 })).rejects.toMatchObject({
      code: 'docker_unavailable',
      retry: true,
    });
  });

  test('a daemon that does not answer is distinguished from one that is missing', async () => {
    const { engine } = connectDocker('x', { socketPath: `${socketPath}.none` });
    await expect(call('read its version', () => engine.version())).rejects.toMatchObject({
      code: 'docker_unavailable',
      message: expect.stringContaining('ENOENT'),
    });
  });

  test('an abort ends the wait for a silent daemon with its own reason', async () => {
    const { engine } = connectDocker('x', { socketPath });
    const reason = new Error('enough');
    const controller = new AbortController();
    const version = call('read its version', () => engine.version(), { signal: controller.signal });
    controller.abort(reason);
    await expect(version).rejects.toBe(reason);
  });
});
