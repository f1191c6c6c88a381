/**
 * Restart, stop and start, as clients ask for them and as the host is told.
 * @module-tag slow
 */
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import type { HubFrameOf } from '../../../../protocol/frames.ts';
import { deployments } from '../../../../worker/store/schema/deployments.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import { createClient, deps, insertKey, type Json } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { deploymentRow, newHost, serviceRow, type TestHost } from '../../../support/worker/host.ts';

const call = createClient();
let host: TestHost;
let runner: FakeRunner;
let service: Awaited<ReturnType<TestHost['addService']>>;

const { token } = await insertKey();

beforeEach(async () => {
  host = await newHost();
  runner = await FakeRunner.connect(host.keys);
  service = await host.addService();
});

const post = (path: string, body?: unknown) =>
  call('POST', `/api/services/${service.id}/${path}`, { token, ...(body === undefined ? {} : { body }) });
const set = (key: string, value: string) => post('env', { key, value });
const overview = async (): Promise<Json> =>
  (await call('GET', `/api/services/${service.id}/overview`, { token })).body;

async function succeed(start: HubFrameOf<'start'>, commitSha = 'a'.repeat(40)) {
  await runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts: { commitSha } } });
}

async function fail(start: HubFrameOf<'start'>) {
  const result = { outcome: 'failed', facts: {}, code: 'health_failed', message: 'no' } as const;
  await runner.report(start, { type: 'result', result });
}

/** Asks for a deployment or a restart, and lets it succeed. @returns its id */
async function ship(path = 'deployments', commitSha?: string): Promise<string> {
  const { body } = await post(path);
  await succeed(await runner.next('start'), commitSha);
  return body.deployment.id;
}

/** @returns the answer, once the host has confirmed the stop */
async function stop() {
  const asked = post('stop');
  const { id, task } = await runner.next('task');
  runner.send({ v: 1, type: 'task-done', id, proxy: { ok: true, detail: 'It answers 503.' } });
  return { task, answer: await asked };
}

async function refused(path: string, given?: unknown): Promise<string> {
  const { status, body } = await post(path, given);
  expect([status, body.code]).toEqual([409, 'conflict']);
  return body.error;
}

const keptRows = async () =>
  (await deps.db.select().from(deployments).where(eq(deployments.serviceId, service.id)))
    .filter(({ sealedSnapshot }) => sealedSnapshot !== null)
    .map(({ id }) => id);

test('a restart starts the live image with the variables and settings of now, and the overview tells which variables wait', async () => {
  await set('GREETING', 'first');
  await set('GONE', 'still there');
  const live = await ship();
  expect(await overview()).toMatchObject({ pendingVariables: [], pendingSettings: [] });
  const gone = (await overview()).env.find(({ key }: Json) => key === 'GONE');
  await call('DELETE', `/api/services/${service.id}/env/${gone.id}`, { token });
  await set('GREETING', 'second');
  await set('ADDED', 'new');
  expect((await overview()).pendingVariables).toEqual(['ADDED', 'GONE', 'GREETING']);
  expect((await overview()).pendingChanges).toEqual({
    added: ['ADDED'],
    changed: ['GREETING'],
    removed: ['GONE'],
  });
  await deps.db
    .update(services)
    .set({ internalPort: 9999, startCommand: 'not built', branch: 'other', memoryLimitMb: 64 })
    .where(eq(services.id, service.id));
  const ofImage = [
    { name: 'branch', before: 'main', after: 'other', appliedBy: 'deployment' },
    { name: 'startCommand', before: null, after: 'not built', appliedBy: 'deployment' },
  ];
  expect((await overview()).pendingSettings).toEqual([
    ofImage[0],
    ofImage[1],
    { name: 'internalPort', before: '8080', after: '9999', appliedBy: 'restart' },
    { name: 'memoryLimitMb', before: null, after: '64', appliedBy: 'restart' },
  ]);

  const { status, body } = await post('restart');
  expect([status, body]).toEqual([
    200,
    {
      deployment: expect.objectContaining({ status: 'queued', trigger: 'restart' }),
      detail: expect.stringContaining('no request is lost'),
      switch: 'overlap',
    },
  ]);
  const start = await runner.next('start');
  expect(start.spec).toMatchObject({
    source: { type: 'kept', deploymentId: live, commitSha: 'a'.repeat(40), restarts: true },
    internalPort: 9999,
    build: { startCommand: null },
    memoryLimitMb: 64,
  });
  expect((await runner.openBox(start)).env).toEqual({ GREETING: 'second', ADDED: 'new' });
  await succeed(start);
  expect((await overview()).pendingVariables).toEqual([]);
  // A restart has no source of its own: that of the deployment which made its image is compared.
  expect((await overview()).pendingSettings).toEqual(ofImage);
  expect(await deploymentRow(live)).toMatchObject({ status: 'superseded' });
  expect(await deploymentRow(body.deployment.id)).toMatchObject({
    status: 'running',
    commitSha: 'a'.repeat(40),
  });
});

test('settings of the container and of the health check apply with the next restart; a change of one keeps the others, and null clears one', async () => {
  service = await host.addService({ kind: 'image', repoUrl: 'container-image', imageRef: 'nginx' });
  const change = async (body: unknown) =>
    (await call('PATCH', `/api/services/${service.id}`, { token, body })).body.service;
  await ship();
  await change({ command: ['worker', '--queue=a b'], user: 'node' });
  await change({ healthCheckStartPeriodSeconds: 300, healthCheckIntervalSeconds: 2 });
  await change({ variableNames: [{ key: 'B', name: 'b' }] });
  const names = { variableNames: [{ key: 'A', name: 'a.a' }] };
  const changed = await change({ shmSizeMb: 128, user: null, healthCheckIntervalSeconds: null, ...names });
  expect(changed).toMatchObject({
    ...{ command: ['worker', '--queue=a b'], entrypoint: null, user: null, shmSizeMb: 128, ...names },
    ...{ healthCheckStartPeriodSeconds: 300, healthCheckIntervalSeconds: null },
  });
  await post('restart');
  const start = await runner.nextDeployment();
  expect(start.spec.container).toEqual({ command: ['worker', '--queue=a b'], shmSizeMb: 128, ...names });
  expect(start.spec.health).toEqual({ healthCheckStartPeriodSeconds: 300 });
  await succeed(start);
  await change({ command: null, shmSizeMb: null, variableNames: null, healthCheckStartPeriodSeconds: null });
  expect(await serviceRow(service.id)).toMatchObject({ containerSettings: null, healthSettings: null });
  await post('restart');
  expect((await runner.nextDeployment()).spec.container).toBeUndefined();
});

test('settings of how a version ends apply with the next restart; a change of one keeps the others', async () => {
  service = await host.addService({ kind: 'image', repoUrl: 'container-image', imageRef: 'nginx' });
  const change = async (body: unknown) =>
    (await call('PATCH', `/api/services/${service.id}`, { token, body })).body.service;
  await ship();
  await change({ drainSeconds: 0, stopSignal: 'SIGQUIT' });
  expect(await change({ stopGraceSeconds: 600 })).toMatchObject({
    ...{ drainSeconds: 0, stopGraceSeconds: 600, stopSignal: 'SIGQUIT' },
  });
  await post('restart');
  const start = await runner.nextDeployment();
  expect(start.spec.stop).toEqual({ drainSeconds: 0, stopGraceSeconds: 600, stopSignal: 'SIGQUIT' });
  await succeed(start);
  expect(await change({ drainSeconds: 3_600, stopSignal: null })).toMatchObject({
    ...{ drainSeconds: 3_600, stopGraceSeconds: 600, stopSignal: null },
  });
  await post('restart');
  expect((await runner.nextDeployment()).spec.stop).toEqual({ drainSeconds: 3_600, stopGraceSeconds: 600 });
});

test('a restart stays on the host of the live version, and the next deployment goes to the chosen one', async () => {
  await ship();
  const other = await newHost();
  const { body } = await call('PATCH', `/api/services/${service.id}`, {
    token,
    body: { runnerId: other.runnerId },
  });
  expect(body.service.runnerId).toBe(other.runnerId);
  await ship('restart');
  expect(await serviceRow(service.id)).toMatchObject({ runnerId: host.runnerId });
  const moved = await FakeRunner.connect(other.keys);
  await post('deployments');
  expect((await moved.next('start')).spec).toMatchObject({ serviceId: service.id });
});

test('a restart that waits for a deployment restarts what that one brought, not what was live before', async () => {
  await ship();
  const second = (await post('deployments')).body.deployment.id;
  const building = await runner.next('start');
  const restart = (await post('restart')).body.deployment.id;
  await succeed(building, 'b'.repeat(40));
  const start = await runner.next('start');
  expect(start.spec).toMatchObject({
    deploymentId: restart,
    source: { type: 'kept', deploymentId: second, commitSha: 'b'.repeat(40) },
  });
});

test('restarts push no version out: the last five builds can still be rolled back to', async () => {
  const builds: string[] = [];
  for (const letter of ['a', 'b', 'c', 'd', 'e']) builds.push(await ship('deployments', letter.repeat(40)));
  for (let index = 0; index < 6; index++) await ship('restart', 'e'.repeat(40));
  await post('restart');
  const { keptDeployments } = (await runner.next('start')).spec as { keptDeployments: string[] };
  expect(keptDeployments).toEqual(expect.arrayContaining(builds));
  expect(await keptRows()).toEqual(expect.arrayContaining(builds));
  expect(keptDeployments.length).toBeLessThanOrEqual(9);
});

test('a stopped service is told so until it is started, which brings its live version with the variables of now', async () => {
  const live = await ship();
  const { task, answer } = await stop();
  expect(task).toEqual({
    ...{ kind: 'stop-service', serviceId: service.id, projectId: service.projectId },
    deploymentId: live,
  });
  expect([answer.status, answer.body]).toEqual([
    200,
    {
      service: expect.objectContaining({ status: 'stopped', reachable: false }),
      proxy: { ok: true, detail: 'It answers 503.' },
    },
  ]);
  expect((await post('stop')).body.proxy.detail).toContain('stopped already');
  expect(await refused('restart')).toContain(`POST /api/services/${service.id}/start`);
  await set('GREETING', 'changed');
  expect((await overview()).pendingVariables).toEqual(['GREETING']);

  expect((await post('start')).body.detail).toContain('is stopped');
  await fail(await runner.next('start'));
  expect(await serviceRow(service.id)).toMatchObject({ status: 'stopped', stopped: true });
  await post('start');
  const start = await runner.next('start');
  expect(start.spec).toMatchObject({ source: { type: 'kept', deploymentId: live } });
  expect((await runner.openBox(start)).env).toEqual({ GREETING: 'changed' });
  await succeed(start);
  expect(await serviceRow(service.id)).toMatchObject({ status: 'active', stopped: false });
  expect(await refused('start')).toContain('not stopped');
});

test('what the host sees of a stopped service does not change its status', async () => {
  const live = await ship();
  await stop();
  const seen = { serviceId: service.id, deploymentId: live, reachable: false };
  runner.send({ v: 1, type: 'observed', services: [{ ...seen, state: 'stopped', diskMb: 7 }] });
  await expect.poll(async () => (await serviceRow(service.id)).diskMb).toBe(7);
  expect(await serviceRow(service.id)).toMatchObject({ status: 'stopped', trouble: null });
});

test('a stop that the host has not done yet comes before the next deployment', async () => {
  await ship();
  const asked = post('stop');
  const { id } = await runner.next('task');
  await post('deployments');
  expect(await runner.unread()).not.toContain('start');
  runner.send({ v: 1, type: 'task-done', id, proxy: { ok: true, detail: 'It answers 503.' } });
  await asked;
  await succeed(await runner.next('start'));
  expect(await serviceRow(service.id)).toMatchObject({ status: 'active', stopped: false });
});

test('a service without a live version, or with a job at work, is refused with the way out', async () => {
  expect(await refused('restart')).toContain('deploy it first');
  expect(await refused('start')).toContain('deploy it first');
  expect(await refused('stop')).toContain('nothing to stop');
  await ship();
  const queued = (await post('deployments')).body.deployment.id;
  expect(await refused('stop')).toContain(queued);
});

test('a database restarts in place with its own image, and its data is left alone while it is stopped', async () => {
  service = await host.addService({
    ...{ kind: 'database', repoUrl: 'database', repoFullName: 'database:redis' },
  });
  await set('REDIS_PASSWORD', 'first-password');
  await ship();
  const { body } = await post('restart');
  expect(body.detail).toContain('does not answer for some seconds');
  const start = await runner.next('start');
  expect(start.spec).toMatchObject({ source: { type: 'database', engine: 'redis', restarts: true } });
  await succeed(start);
  expect((await overview()).pendingSettings).toEqual([]);
  await stop();
  expect(await refused('database/backups', { storage: 'disk' })).toContain(
    `POST /api/services/${service.id}/start`,
  );
});
