/** Everything that can be open to a service, at all of its doors, while the control plane switches it in each way that there is. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { namesTable } from '../../protocol/names.ts';
import { keepAsking } from '../support/docker/keep-asking.ts';
import { buildImage, removeImages } from '../support/instance/image.ts';
import { killNine } from '../support/instance/instance-processes.ts';
import type { Json } from '../support/instance/longshore.ts';
import { type SecondRunner, startSecondRunner } from '../support/instance/second-runner.ts';
import { useInstance } from '../support/instance/use-instance.ts';
import { type Door, exchange } from '../support/real-world/exchange.ts';
import { type InternalDoor, openInternalDoor } from '../support/real-world/internal-door.ts';
import {
  endsVisibly,
  goesOn,
  type OpenAtSwitch,
  openAt,
  openEverything,
  runningContainers,
} from '../support/real-world/open-at-switch.ts';
import { realApp } from '../support/real-world/real-app.ts';
import { heldClient } from '../support/real-world/strange-clients.ts';
import { until } from '../support/runner/until.ts';

const docker = new Docker();
const image = 'longshore-e2e-switches:1';
const internalPort = 3000;
afterAll(() => removeImages(image));
const longshore = useInstance();
const { ask, operate, overview } = longshore;
let web: Json;
let first: Json;
let internal: InternalDoor;
let second: SecondRunner | undefined;

beforeAll(async () => {
  await buildImage(image, realApp(''));
  const ofImage = { repoUrl: 'container-image', imageRef: image, internalPort, drainSeconds: 120 };
  web = await longshore.newService(await longshore.newProject('Shop'), { name: 'web', ...ofImage });
  first = await longshore.deploy(web.id);
  const [container] = await runningContainers(web.id);
  const { HostConfig } = await docker.getContainer(container?.id ?? '').inspect();
  const network = HostConfig.NetworkMode ?? '';
  internal = await openInternalDoor(docker, { network, name: 'web', port: internalPort });
});

afterAll(async () => {
  await internal?.remove();
  await second?.remove();
});

async function doorsNow(): Promise<Record<string, Door>> {
  const { service } = await overview(web.id);
  const name = new URL(service.primaryUrl).hostname;
  return {
    name: { port: longshore.httpPort, name },
    http2: { port: longshore.httpsPort, name, over: 'http2' },
    tls: { port: longshore.httpsPort, name, over: 'tls' },
    port: { port: service.hostPort, name: `127.0.0.1:${service.hostPort}` },
    internal: internal.door,
  };
}

async function openNow(doors?: Record<string, Door>): Promise<OpenAtSwitch> {
  const open = await openEverything(web.id, internalPort, doors ?? (await doorsNow()));
  onTestFinished(() => open.close());
  return open;
}

/** @returns status and text, over a new connection */
async function visit(door: Door, method = 'GET'): Promise<string> {
  const { sent, answer } = exchange(door, method, '/');
  sent.end(method === 'POST' ? 'a body' : undefined);
  const { status, body } = await answer;
  return `${status} ${(await Array.fromAsync(body)).join('')}`;
}

const askAlways = async () => {
  const { name } = (await doorsNow()) as { name: Door };
  return keepAsking(name.port, name.name, 4);
};

const post = (path: string, body?: unknown) => ask('POST', `/api/services/${web.id}/${path}`, body);
const change = (fields: Json) => ask('PATCH', `/api/services/${web.id}`, fields);
const restart = async (): Promise<Json> => (await post('restart')).deployment;
async function live({ id }: Json): Promise<void> {
  const deployment = await longshore.finished(id, web.id);
  expect(deployment.status, await longshore.log(id)).toBe('running');
}
const idsOf = async () => (await runningContainers(web.id)).map(({ id }) => id);
const untilGone = (before: string[]) =>
  until('the old version to be gone', async () => !(await idsOf()).some((id) => before.includes(id)));

/** A replica that has ended is started again, and listens a moment later than it runs. */
const bothAnswer = () =>
  until('both replicas to answer', async () => {
    const running = await runningContainers(web.id);
    const answers = running.map(({ address }) => openAt(address, internalPort).catch(() => undefined));
    return running.length === 2 && !(await Promise.all(answers)).includes(undefined);
  });

test.each<[string, () => Promise<Json>]>([
  ['a restart', restart],
  [
    'a change from one replica to two',
    async () => {
      await change({ replicas: 2 });
      return await restart();
    },
  ],
  ['a deployment of two replicas', async () => (await post('deployments')).deployment],
  [
    'a change from two replicas to one',
    async () => {
      await change({ replicas: 1 });
      return await restart();
    },
  ],
  ['a rollback', async () => (await ask('POST', `/api/deployments/${first.id}/rollback`)).deployment],
  [
    'a change of the host port',
    async () => {
      await post('host-port');
      return await restart();
    },
  ],
])(
  'through %s everything goes on to its own end, at every door, and new requests never notice',
  async (_, begin) => {
    const before = await idsOf();
    const open = await openNow();
    const load = await askAlways();
    await live(await begin());
    expect(open.ended()).toEqual([]);
    const fresh = (await idsOf()).filter((id) => !before.includes(id)).map((id) => id.slice(0, 12));
    for (const [door, at] of Object.entries(await doorsNow()))
      expect([door, fresh.map((id) => `200 ${id}`)]).toEqual([
        door,
        expect.arrayContaining([await visit(at)]),
      ]);
    expect((await open.release()).filter((one) => !goesOn(one))).toEqual([]);
    await untilGone(before);
    expect((await load.stop()).failures).toEqual([]);
  },
);

test('what came by a domain goes on when the domain is removed', async () => {
  await post('domains', { hostname: 'gone.localhost' });
  const byDomain = { domain: { port: longshore.httpPort, name: 'gone.localhost' } };
  const open = await openNow(byDomain);
  const { domains } = await overview(web.id);
  const { id } = domains.find((one: Json) => one.hostname === 'gone.localhost');
  await ask('DELETE', `/api/services/${web.id}/domains/${id}`);
  expect(await visit(byDomain.domain)).toMatch(/^404 /);
  expect(open.ended()).toEqual([]);
  expect((await open.release()).filter((one) => !goesOn(one))).toEqual([]);
});

test('a runner that is killed in the middle of a drain goes on with it, and leaves nothing over', async () => {
  const before = await idsOf();
  const open = await openNow();
  await live(await restart());
  const runner = async () =>
    (await operate('GET', '/api/system/runners')).runners.find((one: Json) => one.id === longshore.runnerId);
  const { connectedAt } = await runner();
  await killNine(longshore.dataDirectory, ['runner']);
  await until('the runner to be back', async () => {
    const now = await runner();
    return now.connected && now.connectedAt !== connectedAt;
  });
  expect(open.ended()).toEqual([]);
  expect((await idsOf()).filter((id) => before.includes(id))).toEqual(before);
  expect((await open.release()).filter((one) => !goesOn(one))).toEqual([]);
  await untilGone(before);
});

test('a replica that is killed ends what it has open visibly, and new requests go to the other one', async () => {
  await change({ replicas: 2 });
  const before = await idsOf();
  await live(await restart());
  await untilGone(before);
  const { internal: _, ...publicDoors } = await doorsNow();
  const open = await openNow();
  const [victim, survivor] = await runningContainers(web.id);
  const { State } = await docker.getContainer(victim?.id ?? '').inspect();
  process.kill(State.Pid, 'SIGKILL');
  // The first process ends after all others of its container: from then on none takes a connection.
  const status = () => readFile(`/proc/${State.Pid}/status`, 'utf8').catch(() => 'State: X');
  await until('its processes to be gone', async () => /^State:\s*[XZ]/m.test(await status()));
  const wrong: string[] = [];
  for (let round = 0; round < 10; round += 1) {
    for (const [door, at] of Object.entries(publicDoors)) {
      const answer = await visit(at).catch(String);
      if (!answer.startsWith('200')) wrong.push(`${door}: ${answer}`);
    }
  }
  expect(wrong).toEqual([]);
  const left = await openAt(survivor?.address ?? '', internalPort);
  const total = 4 * 5 - 1;
  await until('the others to end', () => open.ended().length === total - left);
  const ended = open.ended();
  expect(ended.filter((one) => !endsVisibly(one))).toEqual([]);
  const endings = await open.release();
  const wentOn = endings.filter(
    (one) => !ended.some(({ door, kind }) => door === one.door && kind === one.kind),
  );
  expect(wentOn).toHaveLength(left);
  expect(wentOn.filter((one) => !goesOn(one))).toEqual([]);
  await bothAnswer();
});

test('while a version ends, its address does not lead peers to a replica that has stopped', async () => {
  await change({ replicas: 2 });
  const [old] = await runningContainers(web.id);
  const ofOld = heldClient({ ...internal.door, host: old?.address ?? '', port: internalPort });
  onTestFinished(() => ofOld.close());
  await until('it to be in use', async () => (await openAt(old?.address ?? '', internalPort)) > 0);
  await live(await restart());
  const list = ['list', 'table', 'inet', namesTable(longshore.runnerId)];
  const target = async () =>
    new RegExp(`${old?.address} : ([0-9.]+)`).exec((await promisify(execFile)('nft', list)).stdout)?.[1];
  const led = await until('a replica that it leads to', target);
  const victim = (await runningContainers(web.id)).find(({ address }) => address === led);
  await docker.getContainer(victim?.id ?? '').stop({ t: 0 });
  const other = await until('another one', async () => {
    const now = await target();
    return now !== led && now;
  });
  expect((await runningContainers(web.id)).map(({ address }) => address)).toContain(other);
  ofOld.close();
  await untilGone([old?.id ?? '']);
  // The runner would start it within a minute, in the middle of the next test.
  await docker.getContainer(victim?.id ?? '').start();
  await bothAnswer();
});

test('a stop ends everything so that it is seen at every door, and a start serves at all of them again', async () => {
  const doors = await doorsNow();
  const open = await openNow(doors);
  const stopped = post('stop');
  const endings = await open.all(30_000);
  expect(endings.filter((one) => !endsVisibly(one))).toEqual([]);
  expect((await stopped).service.status).toBe('stopped');
  expect(await visit(doors.name as Door)).toMatch(/^503 /);
  await live((await post('start')).deployment);
  for (const [door, at] of Object.entries(doors))
    expect([door, await visit(at)]).toEqual([door, expect.stringMatching(/^200 /)]);
});

test('through a move to another host everything goes on at the old one, until it has ended', async () => {
  second = await startSecondRunner(longshore);
  const before = await idsOf();
  const open = await openNow();
  await change({ runnerId: second.runnerId });
  await live((await post('deployments')).deployment);
  const { name } = (await doorsNow()) as { name: Door };
  expect(await visit({ ...name, port: second.httpPort })).toMatch(/^200 /);
  expect(open.ended()).toEqual([]);
  expect((await open.release()).filter((one) => !goesOn(one))).toEqual([]);
  await untilGone(before);
});
