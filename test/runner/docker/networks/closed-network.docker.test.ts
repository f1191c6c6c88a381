import { afterAll, beforeAll, expect, test } from 'vitest';
import { labels } from '../../../../protocol/names.ts';
import {
  createClosedNetwork,
  removeClosedNetworks,
} from '../../../../runner/docker/networks/closed-network.ts';
import { ensureProjectNetwork } from '../../../../runner/docker/networks/networks.ts';
import { type TestHost, testHost, testId } from '../../../support/docker/docker-host.ts';
import { until } from '../../../support/runner/until.ts';

let host: TestHost;
const range = '10.212.24.0/22';
/** Answers with what became of its own connection to the address in the request's path. */
const reacher = `require('node:http').createServer((request, response) => {
  const socket = require('node:net').connect({ host: request.url.slice(1), port: 3000, timeout: 2000 });
  const tell = (word) => { response.end(word); socket.destroy(); };
  socket.on('connect', () => tell('reached')).on('error', () => tell('not reached')).on('timeout', () => tell('not reached'));
}).listen(3000)`;

beforeAll(async () => {
  host = await testHost();
});
afterAll(() => host?.remove());

test('the host reaches a container on a closed network, which reaches nothing and is removed with the service', async () => {
  const serviceId = testId('service');
  const closed = await createClosedNetwork(host.docker, { name: `closed-${serviceId}`, serviceId }, range);
  const project = await ensureProjectNetwork(host.docker, testId('project'), range);
  const [alone, peer] = [await serverOn(closed), await serverOn(project.id)];
  expect(await ask(peer.address, peer.address)).toBe('reached');
  expect(await ask(alone.address, alone.address)).toBe('reached');
  expect(await ask(alone.address, peer.address)).toBe('not reached');
  await alone.container.remove({ force: true });
  await removeClosedNetworks(host.docker, testId('service'));
  expect(await host.leftovers()).toContain(`closed-${serviceId}`);
  await removeClosedNetworks(host.docker, serviceId, 'another');
  expect(await host.leftovers()).toContain(`closed-${serviceId}`);
  await removeClosedNetworks(host.docker, serviceId);
  expect(await host.leftovers()).not.toContain(`closed-${serviceId}`);
});

async function serverOn(networkId: string) {
  const container = await host.docker.engine.createContainer({
    Image: 'node:24-slim',
    Cmd: ['node', '-e', reacher],
    Labels: { [labels.instance]: host.docker.instance },
    HostConfig: { NetworkMode: networkId },
  });
  await container.start();
  const { NetworkSettings } = await container.inspect();
  const address = Object.values(NetworkSettings.Networks)[0]?.IPAddress ?? '';
  await until('the server answers', () => ask(address, address).then(Boolean, () => false));
  return { container, address };
}

const ask = async (address: string, other: string) => (await fetch(`http://${address}:3000/${other}`)).text();
