/** A service with a volume moves between two hosts with a Docker each; the runners of both are killed in the middle. */
import { get } from 'node:http';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildImage, removeImages } from '../support/instance/image.ts';
import type { Json } from '../support/instance/longshore.ts';
import { type OwnMachine, startOwnMachine } from '../support/instance/own-machine.ts';
import { type SecondRunner, startSecondRunner } from '../support/instance/second-runner.ts';
import { useInstance } from '../support/instance/use-instance.ts';

/** Each visit adds a line; the answer is how many there are. The random file makes its copy take a while. */
const counter = `const fs = require('fs'), file = '/data/visits';
if (!fs.existsSync('/data/large')) fs.writeFileSync('/data/large', require('crypto').randomBytes(48e6));
require('http').createServer((_, reply) => {
  fs.appendFileSync(file, 'x');
  reply.end(String(fs.readFileSync(file).length));
}).listen(3000);
process.on('SIGTERM', () => process.exit());`;
const image = 'longshore-soak-move:1';
afterAll(() => removeImages(image));
const longshore = useInstance();
const { ask, operate, overview } = longshore;
let machine: OwnMachine;
let second: SecondRunner;
let service: Json;
let visits = 0;

beforeAll(async () => {
  await buildImage(image, {
    'server.js': counter,
    Dockerfile: 'FROM node:24-slim\nCOPY server.js /server.js\nCMD ["node", "/server.js"]\n',
  });
  machine = await startOwnMachine();
  await machine.load(image);
  second = await startSecondRunner(longshore, { machine });
  const of = {
    repoUrl: 'container-image',
    imageRef: image,
    internalPort: 3000,
    runnerId: longshore.runnerId,
  };
  service = await longshore.newService(await longshore.newProject('Shop'), { name: 'counter', ...of });
  await ask('POST', `/api/services/${service.id}/volumes`, { name: 'visits', mountPath: '/data' });
  await longshore.deploy(service.id);
});

afterAll(async () => {
  await second?.remove();
  await machine?.remove();
});

/** One visit by the proxy of a host. @returns status and text */
function page(host: 'first' | 'second'): Promise<string> {
  const where =
    host === 'first'
      ? { host: '127.0.0.1', port: longshore.httpPort }
      : { host: machine.address, port: second.httpPort };
  return new Promise((resolve) => {
    const name = new URL(service.primaryUrl).hostname;
    get({ ...where, headers: { host: name } }, (reply) => {
      let text = '';
      reply.on('data', (chunk) => {
        text += chunk;
      });
      reply.on('end', () => resolve(`${reply.statusCode} ${text}`));
    }).on('error', (error) => resolve(error.message));
  });
}

/** A visit that must be counted with all before it. */
const counted = async (host: 'first' | 'second') =>
  expect.poll(() => page(host), { timeout: 30_000 }).toBe(`200 ${++visits}`);
const hostOf = async () => (await overview(service.id)).service.runnerId;
const volumesOf = async (docker: Docker) =>
  (await docker.listVolumes({ filters: { label: [`longshore.service=${service.id}`] } })).Volumes.length;
const containersOf = async (docker: Docker) =>
  (await docker.listContainers({ all: true, filters: { label: [`longshore.service=${service.id}`] } }))
    .length;
const move = async (runnerId: string): Promise<Json> =>
  (await ask('POST', `/api/services/${service.id}/move`, { runnerId })).deployment;
const ended = ({ id }: Json) => longshore.finished(id, service.id);

test('a service moves with its files, answers until its image is ready on the new host, and moves back', async () => {
  await counted('first');
  const deployment = await move(second.runnerId);
  expect(await ended(deployment), await longshore.log(deployment.id)).toMatchObject({ status: 'running' });
  expect(await hostOf()).toBe(second.runnerId);
  await counted('second');
  const { logs } = await ask('GET', `/api/deployments/${deployment.id}/logs`);
  const lines: string[] = logs.map(({ line }: Json) => line);
  expect(logs.map(({ id }: Json) => id)).toEqual(logs.map((_: Json, index: number) => index + 1));
  const ready = lines.findIndex((line) => line.startsWith('The image is ready.'));
  const arrived = lines.findIndex((line) => line.startsWith('The files have arrived'));
  expect([ready > 0, arrived > ready, lines.at(-1)]).toEqual([true, true, 'Done.']);
  // The way back: the old host keeps the files, and nothing else.
  await expect.poll(() => containersOf(new Docker()), { timeout: 20_000 }).toBe(0);
  expect(await volumesOf(new Docker())).toBe(1);
  const back = await move(longshore.runnerId);
  expect(await ended(back), await longshore.log(back.id)).toMatchObject({ status: 'running' });
  await counted('first');
});

test.each([
  ['build:done', 'failed'],
  ['load:made', 'failed'],
  ['load:done', 'failed'],
  ['start:created', 'failed'],
  ['switch:moved', 'running'],
])(
  'when the runner of the new host is killed at %s, the move ends as %s and no visit is lost',
  async (at, status) => {
    await second.stop();
    await second.start({ CRASH_AT: at });
    const deployment = await move(second.runnerId);
    await second.ended();
    await second.start();
    expect(await ended(deployment), await longshore.log(deployment.id)).toMatchObject({ status });
    if (status === 'failed') {
      await counted('first');
      expect(await hostOf()).toBe(longshore.runnerId);
      // Before its copy began, the host still has the files of the move before.
      const kept = at === 'build:done' ? 1 : 0;
      await expect.poll(() => volumesOf(machine.docker), { timeout: 60_000 }).toBe(kept);
      expect(await containersOf(machine.docker)).toBe(0);
    } else {
      await counted('second');
      expect(await hostOf()).toBe(second.runnerId);
      const back = await move(longshore.runnerId);
      expect(await ended(back), await longshore.log(back.id)).toMatchObject({ status: 'running' });
      await counted('first');
    }
  },
);

test('when the runner of a drained old host is killed during the copy, it starts the service again', async () => {
  expect(await ended(await move(second.runnerId))).toMatchObject({ status: 'running' });
  await second.stop();
  await second.start({ CRASH_AT: 'dump:written' });
  await operate('PATCH', `/api/system/runners/${second.runnerId}`, { drained: true });
  const deployment = await move(longshore.runnerId);
  await second.ended();
  await second.start();
  expect(await ended(deployment), await longshore.log(deployment.id)).toMatchObject({ status: 'failed' });
  await counted('second');
  expect(await hostOf()).toBe(second.runnerId);
  await operate('PATCH', `/api/system/runners/${second.runnerId}`, { drained: false });
});
