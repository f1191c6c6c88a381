import { expect, test } from 'vitest';
import { labels } from '../../../../protocol/names.ts';
import { createContainer, startContainer, stopContainer } from '../../../../runner/docker/containers.ts';
import { ensureProjectNetwork, withFreeAddress } from '../../../../runner/docker/networks/networks.ts';
import { testId } from '../../../support/docker/docker-host.ts';
import { useTestHost } from '../../../support/docker/use-scenes.ts';
import { until } from '../../../support/runner/until.ts';

const host = useTestHost();
const projectId = testId('project');

/** Answers each connection with more than the kernels of both sides hold, and ends at once. */
const server = `
  require('node:net').createServer((socket) => socket.on('error', () => {}).write(Buffer.alloc(50_000_000))).listen(3000);
  process.on('SIGTERM', () => process.exit(0));
`;
/** Connects to the address as soon as it is possible, and reads nothing before it gets a signal. */
const lateReader = `
  const connect = () => {
    const socket = require('node:net').connect(3000, process.argv.at(-1));
    socket.on('error', () => setTimeout(connect, 50)).on('connect', () => {
      socket.removeAllListeners('error').on('data', () => {}).pause();
      socket.on('end', () => console.log('end')).on('error', ({ code }) => console.log(code));
      process.on('SIGUSR2', () => socket.resume());
      console.log('connected');
    });
  };
  connect();
  setInterval(() => {}, 1_000); // a paused connection keeps no program running
`;

async function run(script: string, ...args: string[]) {
  const network = await ensureProjectNetwork(host.docker, projectId, '10.215.0.0/20');
  const { id, address } = await withFreeAddress(host.docker, network, async (free) => {
    const created = await createContainer(host.docker, {
      ...{ name: `peers-${testId('deployment')}`, image: 'node:24-slim', env: {} },
      ...{ networkId: network.id, address: free, memoryLimitMb: null, cpuLimit: null },
      settings: { command: ['node', '-e', script, ...args] },
      labels: { [labels.instance]: host.docker.instance, [labels.role]: 'app' },
    });
    return { id: created, address: free };
  });
  await startContainer(host.docker, id);
  return { id, address, container: host.docker.engine.getContainer(id) };
}

type Run = Awaited<ReturnType<typeof run>>;

async function readerOf({ address }: Run) {
  const one = await run(lateReader, address);
  const said = async () => String(await one.container.logs({ stdout: true, stderr: true }));
  await until('it to be connected', async () => (await said()).includes('connected'));
  return { ...one, said };
}

test('a peer that reads nothing until a container was stopped hears of the end, not those of other containers', {
  tags: 'slow',
}, async () => {
  const [old, other] = [await run(server), await run(server)];
  const [late, kept] = [await readerOf(old), await readerOf(other)];
  await stopContainer(host.docker, old.id);
  for (const { container } of [late, kept]) await container.kill({ signal: 'SIGUSR2' });
  await until('the end', async () => /ECONNABORTED|ECONNRESET/.test(await late.said()), 5_000);
  expect(await kept.said()).not.toMatch(/end|E[A-Z]+/);
});
