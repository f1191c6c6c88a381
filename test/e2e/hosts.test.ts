/** Two real runners on one Docker: placement, moves, rollback, drain, absence and revocation, through the HTTP API alone. */
import Docker from 'dockerode';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { labels } from '../../protocol/names.ts';
import { buildImage, removeImages } from '../support/instance/image.ts';
import type { Json } from '../support/instance/longshore.ts';
import { webApp } from '../support/instance/repository.ts';
import { type SecondRunner, startSecondRunner, until } from '../support/instance/second-runner.ts';
import { useInstance } from '../support/instance/use-instance.ts';

const docker = new Docker();
const image = 'longshore-e2e-hosts:1';
afterAll(() => removeImages(image));
const longshore = useInstance();
let second: SecondRunner;
/** On the first host, later on the second. */
let mover: Json;
/** On the second host. */
let settler: Json;

beforeAll(async () => {
  await buildImage(image, webApp('hosted'));
  second = await startSecondRunner(longshore, { installed: true });
});

afterAll(() => second?.remove());

const operate = (method: string, path: string, body?: unknown) =>
  longshore.call(method, path, body, longshore.operatorToken);
const change = (body: unknown) => operate('PATCH', `/api/system/runners/${second.runnerId}`, body);
const hostOf = async (id: string): Promise<Json> =>
  (await operate('GET', '/api/system/runners')).body.runners.find((one: Json) => one.id === id);
const text = async (service: Json) => (await fetch(service.localUrl)).text();
const serviceNow = async ({ id }: Json): Promise<Json> => (await longshore.overview(id)).service;
const queue = async (service: Json): Promise<Json> =>
  (await longshore.call('POST', `/api/services/${service.id}/deployments`)).body.deployment;

const { newProject } = longshore;
const fields = { repoUrl: 'container-image', imageRef: image, internalPort: 3000 };
const newService = (project: Json, name: string, more = {}) =>
  longshore.newService(project, { name, ...fields, ...more });
const deploy = ({ id }: Json) => longshore.deploy(id);

const statusOf = async (service: Json, deployment: Json) =>
  (await longshore.call('GET', `/api/services/${service.id}/deployments`)).body.deployments.find(
    (one: Json) => one.id === deployment.id,
  ).status;

/** Names of the service's containers, by host. */
const containersOn = async (runnerId: string, service: Json) =>
  (
    await docker.listContainers({
      all: true,
      filters: { label: [`${labels.instance}=${runnerId}`, `${labels.service}=${service.id}`] },
    })
  ).flatMap(({ Names }) => Names);

test('both hosts are connected, with separate ports', async () => {
  const hosts = [await hostOf(longshore.runnerId), await hostOf(second.runnerId)];
  expect(hosts.map(({ connected, name }) => [connected, name])).toEqual([
    [true, 'local'],
    [true, expect.any(String)],
  ]);
  expect(hosts[0].facts.webPorts.first).not.toBe(hosts[1].facts.webPorts.first);
});

test('a project is placed on the emptier host and all its services stay there; both hosts serve', async () => {
  const project = await newProject('One');
  mover = await newService(project, 'mover', { env: [{ key: 'GREETING', value: 'one' }] });
  const beside = await newService(project, 'beside');
  settler = await newService(await newProject('Two'), 'settler', {
    env: [{ key: 'GREETING', value: 'two' }],
  });
  expect([mover.runnerId, beside.runnerId, settler.runnerId]).toEqual([
    longshore.runnerId,
    longshore.runnerId,
    second.runnerId,
  ]);
  await Promise.all([deploy(mover), deploy(settler)]);
  expect([await text(mover), await text(settler)]).toEqual(['hosted one', 'hosted two']);
});

test('a service moves with its next deployment: it serves until then, and leaves nothing on the old host', async () => {
  const before = await deploy(mover);
  const { body } = await longshore.call('PATCH', `/api/services/${mover.id}`, { runnerId: second.runnerId });
  expect([body.service.runnerId, body.service.localUrl]).toEqual([second.runnerId, mover.localUrl]);
  expect(await text(mover)).toBe('hosted one');
  await deploy(mover);
  const moved = await serviceNow(mover);
  expect([moved.runnerId, await text(moved)]).toEqual([second.runnerId, 'hosted one']);
  await until(async () => (await containersOn(longshore.runnerId, mover)).length === 0);
  expect(await containersOn(second.runnerId, mover)).toHaveLength(1);
  expect((await fetch(mover.localUrl)).status).toBe(404);
  const logs = `/api/services/${mover.id}/runtime-logs?deploymentId=${before.id}`;
  const older = () => longshore.call('GET', logs);
  await until(async () => (await older()).body.logs.length > 0);
  expect((await older()).body.earlierHosts, 'what it printed there is still found').toBeUndefined();
  const back = await longshore.call('POST', `/api/deployments/${before.id}/rollback`);
  expect([back.status, back.body.error]).toEqual([409, expect.stringContaining('another host')]);
  mover = moved;
});

test("a rollback restores that deployment's variables without a pull, and the next deployment uses the current ones", async () => {
  // Anew, because on one Docker the old host's removal has taken the tags of before as well.
  const first = await deploy(mover);
  await longshore.call('POST', `/api/services/${mover.id}/env`, { key: 'GREETING', value: 'changed' });
  await deploy(mover);
  expect(await text(mover)).toBe('hosted changed');
  const { body } = await longshore.call('POST', `/api/deployments/${first.id}/rollback`);
  const done = await longshore.finished(body.deployment.id, mover.id);
  expect(done, await longshore.log(done.id)).toMatchObject({
    status: 'running',
    trigger: 'rollback',
    imageTag: `longshore-${mover.id}-${done.id}`,
  });
  expect(await longshore.log(done.id)).not.toContain('Pulling');
  expect(await text(mover)).toBe('hosted one');
  await deploy(mover);
  expect(await text(mover)).toBe('hosted changed');
});

test('a drained host takes no new jobs; jobs waiting there can be aborted, or run when the drain ends', async () => {
  expect((await change({ drained: true })).body.runner).toMatchObject({ drained: true, connected: true });
  const elsewhere = await newService(await newProject('Three'), 'elsewhere');
  expect(elsewhere.runnerId).toBe(longshore.runnerId);
  const waiting = await queue(settler);
  const unwanted = await queue(settler);
  expect((await longshore.call('POST', `/api/deployments/${unwanted.id}/abort`)).body).toEqual({
    accepted: true,
  });
  await deploy(elsewhere); // the other host's work goes on
  expect(await statusOf(settler, waiting)).toBe('queued');
  expect(await statusOf(settler, unwanted)).toBe('aborted');
  await change({ drained: false });
  expect((await longshore.finished(waiting.id, settler.id)).status).toBe('running');
  await longshore.call('DELETE', `/api/services/${elsewhere.id}`);
});

test('a deployment for a host that is away waits for it while the app keeps serving', async () => {
  await second.stop();
  await until(async () => (await hostOf(second.runnerId)).connected === false);
  expect((await hostOf(second.runnerId)).disconnectedAt).not.toBeNull();
  const waiting = await queue(settler);
  expect([waiting.status, await text(settler)]).toEqual(['queued', 'hosted two']);
  await second.start();
  expect((await longshore.finished(waiting.id, settler.id)).status).toBe('running');
  expect(await text(settler)).toBe('hosted two');
});

test('a deployment can be aborted during its health check, and no longer once it has ended', async () => {
  const deaf = await newService(await newProject('Four'), 'deaf', {
    internalPort: 3001,
    env: [{ key: 'PORT', value: '3000' }],
  });
  const { id } = await queue(deaf);
  for await (const { data } of longshore.events(`/api/deployments/${id}/stream`)) {
    if (JSON.stringify(data).includes('start: done')) break;
  }
  expect((await longshore.call('POST', `/api/deployments/${id}/abort`)).status).toBe(200);
  expect((await longshore.finished(id, deaf.id)).status).toBe('aborted');
  expect((await longshore.call('POST', `/api/deployments/${id}/abort`)).status).toBe(409);
  expect(await containersOn(deaf.runnerId, deaf)).toEqual([]);
  await longshore.call('DELETE', `/api/services/${deaf.id}`);
});

test('revoking a host with services is refused with their names; an empty host is revoked and its runner exits', async () => {
  const path = `/api/system/runners/${second.runnerId}`;
  const refused = await operate('DELETE', path);
  expect([refused.status, refused.body.error]).toEqual([
    409,
    expect.stringContaining('one/mover, two/settler'),
  ]);
  await longshore.call('DELETE', `/api/services/${mover.id}`);
  await longshore.call('DELETE', `/api/services/${settler.id}`);
  expect((await operate('DELETE', path)).body.error).toContain('deleted: mover');
  for (const { id } of (await operate('GET', '/api/system/deleted')).body.deleted)
    await operate('POST', `/api/system/deleted/${id}/purge`);
  expect((await operate('DELETE', path)).body).toEqual({ ok: true });
  expect(await hostOf(second.runnerId)).toBeUndefined();
  expect((await second.ended()).code).toBe(78);
});
