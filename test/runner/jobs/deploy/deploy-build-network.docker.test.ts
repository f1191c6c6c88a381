/** The network that build steps are on: the default bridge, which firewall rules for builds are made for. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DeployFixture, deployFixture } from '../../../support/docker/deploy-fixture.ts';

let fixture: DeployFixture;
beforeAll(async () => {
  fixture = await deployFixture();
});
afterAll(() => fixture?.remove());

/** As in /proc/net/route: the bytes of the address in reverse. */
const asRoute = (address: string) =>
  address
    .split('.')
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .reverse()
    .join('')
    .toUpperCase();

test('a build step has one way out, the gateway of the default bridge, whatever networks the project has', async () => {
  const step = 'RUN sed "s/^/route /" /proc/net/route; ls /sys/class/net | sed "s/^/interface /"; exit 3';
  fixture.commit('network', { Dockerfile: `FROM node:24-slim\n${step}\n` });
  const { context } = await fixture.deploy(fixture.spec({ source: fixture.gitSource('network') }));
  const { IPAM } = await fixture.host.docker.engine.getNetwork('bridge').inspect();
  const lines = context.text().split('\n');
  const found = (word: string) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.split(/\s+/));
  const gateways = found('route').filter(([, , destination]) => destination === '00000000');
  // Docker lists no gateway between its first start and the second one; it is the first address of the subnet.
  const { Gateway, Subnet = '' } = IPAM?.Config?.[0] ?? {};
  const gateway = Gateway ?? Subnet.replace(/0\/\d+$/, '1');
  expect(gateways.map(([, , , found]) => found)).toEqual([asRoute(gateway)]);
  expect(
    found('interface')
      .map(([, name]) => name)
      .sort(),
  ).toEqual(['eth0', 'lo']);
});
