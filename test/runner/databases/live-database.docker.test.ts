import { expect, test } from 'vitest';
import { labels } from '../../../protocol/names.ts';
import { type LiveDatabase, liveDatabase } from '../../../runner/databases/live-database.ts';
import { testId } from '../../support/docker/docker-host.ts';
import { createLiveContainer, idle } from '../../support/docker/live-container.ts';
import { useTestHost } from '../../support/docker/use-scenes.ts';
import { until } from '../../support/runner/until.ts';

const host = useTestHost();

const create = (script: string, options?: Parameters<typeof createLiveContainer>[2]) =>
  createLiveContainer(host.docker, script, options);
const find = (serviceId: string) => liveDatabase(host.docker, serviceId);
const refusal = (serviceId: string): Promise<string> =>
  find(serviceId).then(
    ({ run }: LiveDatabase) => `it runs: ${run}`,
    ({ code, message }: { code: string; message: string }) => `${code}: ${message}`,
  );

test('a running database is found at its address, and every start is a new run', async () => {
  const { container, serviceId } = await create(idle);
  await container.start();
  const first = await find(serviceId);
  const { Id, NetworkSettings } = await container.inspect();
  const [network] = Object.values(NetworkSettings.Networks);
  expect(first).toMatchObject({ containerId: Id, address: { host: network?.IPAddress, port: 5432 } });
  expect(await find(serviceId)).toEqual(first);
  await container.restart({ t: 0 });
  const second = await find(serviceId);
  expect([second.containerId, second.run === first.run]).toEqual([Id, false]);
});

test('each reason for no running database has its own sentence', async () => {
  expect(await refusal(testId('service'))).toMatch(/^not_running: .*no container on its host: deploy it/);
  const stopped = await create('process.exit(0)');
  await stopped.container.start();
  await stopped.container.wait();
  expect(await refusal(stopped.serviceId)).toMatch(/^not_running: The database is stopped/);
  const failed = await create('process.exit(3)');
  await failed.container.start();
  await failed.container.wait();
  expect(await refusal(failed.serviceId)).toMatch(/^not_running: .*not running.*exit code is 3/);
  const looping = await create('process.exit(4)', { restart: 'always' });
  await looping.container.start();
  const crash = /keeps crashing.*exit code is 4/;
  await until('a crash', async () => crash.test(await refusal(looping.serviceId)));
});

test('a database that ran out of memory says so, also while Docker starts it again and its state has forgotten it', {
  tags: 'slow',
}, async () => {
  const script = 'const all = []; for (;;) all.push(Buffer.alloc(4e6, 1));';
  const { container, serviceId } = await create(script, { restart: 'always', memoryMb: 48 });
  await container.start();
  await until('a restart', async () => (await container.inspect()).RestartCount > 0);
  const seen = new Set<string>();
  await until('several looks at it between its starts', async () => {
    const said = await refusal(serviceId);
    if (said.startsWith('not_running')) seen.add(said);
    return (await container.inspect()).RestartCount > 3;
  });
  expect([...seen]).toEqual([expect.stringMatching(/keeps crashing \(it ran out of memory\)/)]);
});

test('a container that is not a database, or of another instance, gets no query', async () => {
  const web = await create(idle, { port: '' });
  await web.container.start();
  expect(await refusal(web.serviceId)).toMatch(/^unsupported: /);
  const foreign = await create(idle, { more: { [labels.instance]: testId('runner') } });
  await foreign.container.start();
  try {
    expect(await refusal(foreign.serviceId)).toMatch(/^not_running: .*no container/);
  } finally {
    await foreign.container.remove({ force: true });
  }
});
