/**
 * A running service goes to another host with its next successful deployment; what waits is done in order, on whichever host.
 * @module-tag slow
 */
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import type { HubFrameOf } from '../../../../protocol/frames.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import {
  createClient,
  deps,
  insertKey,
  insertRunner,
  insertService,
  testFacts,
} from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { jobRow, newHost, serviceRow, type TestHost } from '../../../support/worker/host.ts';

const call = createClient();
let old: TestHost;
let next: TestHost;
let oldRunner: FakeRunner;
let nextRunner: FakeRunner;
let service: Awaited<ReturnType<TestHost['addService']>>;

const { token } = await insertKey();

beforeEach(async () => {
  old = await newHost();
  next = await newHost();
  oldRunner = await FakeRunner.connect(old.keys);
  nextRunner = await FakeRunner.connect(next.keys);
  service = await old.addService({ hostPort: 41_000 });
  await deploy();
  await end(oldRunner, await oldRunner.next('start'));
});

const deploy = async () =>
  (await call('POST', `/api/services/${service.id}/deployments`, { token })).body.deployment;
const patch = (body: unknown) => call('PATCH', `/api/services/${service.id}`, { token, body });
const end = (runner: FakeRunner, start: HubFrameOf<'start'>, outcome: 'succeeded' | 'failed' = 'succeeded') =>
  runner.report(start, {
    type: 'result',
    result:
      outcome === 'succeeded'
        ? { outcome, facts: {} }
        : { outcome, facts: {}, code: 'build_failed', message: 'no' },
  });

/** Answers the next task. */
async function answered(runner: FakeRunner) {
  const { id, task } = await runner.next('task');
  runner.send({ v: 1, type: 'task-done', id, proxy: { ok: true, detail: '' } });
  return task;
}

test('a moved service keeps running until the new host has it, then the old host removes it', async () => {
  const moved = await patch({ runnerId: next.runnerId });
  expect([moved.status, moved.body.service.runnerId, moved.body.service.hostPort]).toEqual([
    200,
    next.runnerId,
    41_000,
  ]);
  expect((await serviceRow(service.id)).runnerId).toBe(old.runnerId);
  await deploy();
  const start = await nextRunner.next('start');
  expect(start.spec).toMatchObject({ serviceId: service.id, hostPort: 41_000 });
  expect(await oldRunner.unread()).toEqual([]);
  await end(nextRunner, start);
  expect(await serviceRow(service.id)).toMatchObject({
    runnerId: next.runnerId,
    nextRunnerId: null,
    nextHostPort: null,
    hostPort: 41_000,
    status: 'active',
  });
  expect((await oldRunner.next('task')).task).toEqual({
    kind: 'remove-service',
    serviceId: service.id,
    projectId: service.projectId,
    hostnames: [],
    hostPort: 41_000,
    keepsLogs: true,
  });
  await deploy();
  await end(nextRunner, await nextRunner.next('start'));
  expect(await oldRunner.unread()).toEqual([]);
});

test("a moved service's names are sent to the new host with the deployment, and again once that host checks their DNS", async () => {
  const body = { hostname: 'moving.example.com' };
  await Promise.all([
    call('POST', `/api/services/${service.id}/domains`, { token, body }),
    answered(oldRunner),
  ]);
  await patch({ runnerId: next.runnerId });
  await deploy();
  const start = await nextRunner.nextDeployment();
  expect(start.spec.names).toMatchObject({ revision: 1, names: [{}, body] });
  await end(nextRunner, start);
  expect(await answered(nextRunner)).toMatchObject({ kind: 'set-hostnames', revision: 2, names: [{}, body] });
  expect((await oldRunner.next('task')).task.kind).toBe('remove-service');

  await patch({ runnerId: old.runnerId });
  expect(await nextRunner.unread()).toEqual([]);
});

test('a service that has never run moves at once, and its names are sent to the new host', async () => {
  const idle = await old.addService();
  const body = { hostname: 'idle.example.com' };
  await Promise.all([call('POST', `/api/services/${idle.id}/domains`, { token, body }), answered(oldRunner)]);
  await call('PATCH', `/api/services/${idle.id}`, { token, body: { runnerId: next.runnerId } });
  expect(await answered(nextRunner)).toMatchObject({ serviceId: idle.id, revision: 2, names: [{}, body] });
});

test('a moved service whose port is taken gets another, reserved at once and its own after the move', async () => {
  await insertService({ projectId: next.project.id, runnerId: next.runnerId, hostPort: 41_000 });
  expect((await patch({ runnerId: next.runnerId })).body.service.hostPort).toBe(41_000);
  const body = { name: 'a', repoUrl: 'https://git.example/a', runnerId: next.runnerId };
  const other = await call('POST', `/api/projects/${next.project.id}/services`, { token, body });
  expect(other.body.service.hostPort).toBe(41_002);
  await deploy();
  const start = await nextRunner.next('start');
  expect(start.spec).toMatchObject({ hostPort: 41_001 });
  await end(nextRunner, start);
  expect(await serviceRow(service.id)).toMatchObject({ hostPort: 41_001, runnerId: next.runnerId });
});

test('a failed deployment leaves the service where it is, and the next one tries again', async () => {
  await patch({ runnerId: next.runnerId });
  await deploy();
  await end(nextRunner, await nextRunner.next('start'), 'failed');
  expect(await serviceRow(service.id)).toMatchObject({ runnerId: old.runnerId, status: 'active' });
  expect(await oldRunner.unread()).toEqual([]);
  await deploy();
  expect((await nextRunner.next('start')).spec.serviceId).toBe(service.id);
});

test('a move is called off by naming the host that it is on', async () => {
  await patch({ runnerId: next.runnerId });
  expect((await patch({ runnerId: old.runnerId })).body.service.runnerId).toBe(old.runnerId);
  expect(await serviceRow(service.id)).toMatchObject({ nextRunnerId: null, nextHostPort: null });
  await deploy();
  expect((await oldRunner.next('start')).spec.serviceId).toBe(service.id);
});

test('a deployment that waits for a lost host is moved to the new one', async () => {
  await oldRunner.disconnect();
  const { id } = await deploy();
  expect((await patch({ runnerId: next.runnerId })).status).toBe(200);
  expect((await nextRunner.next('start')).spec).toMatchObject({ deploymentId: id });
});

test('the host cannot be changed while a deployment is running', async () => {
  await deploy();
  await oldRunner.next('start');
  const reply = await patch({ runnerId: next.runnerId, branch: 'not-written' });
  expect([reply.status, reply.body.code]).toEqual([409, 'conflict']);
  expect(reply.body.error).toContain('in progress');
  expect(await serviceRow(service.id)).toMatchObject({ branch: 'main', nextRunnerId: null });
});

test('a full host, a drained one, and any other host for a database are refused', async () => {
  const facts = { ...testFacts, webPorts: { first: 41_500, last: 41_500 } };
  const full = await insertRunner({ facts, name: 'full' });
  await insertService({ projectId: next.project.id, runnerId: full.id, hostPort: 41_500 });
  expect((await patch({ runnerId: full.id })).body.error).toContain('no free port');
  const drained = await insertRunner({ drained: true });
  expect((await patch({ runnerId: drained.id })).body.error).toContain('drained');
  await deps.db.update(services).set({ kind: 'database' }).where(eq(services.id, service.id));
  const reply = await patch({ runnerId: next.runnerId });
  expect([reply.status, reply.body.error]).toEqual([
    409,
    expect.stringContaining("can't move to another host"),
  ]);
});

test('jobs of one service run in the order they came, even when they wait on two hosts', async () => {
  const first = (await call('GET', `/api/services/${service.id}/deployments`, { token })).body.deployments[0];
  await deploy();
  await end(oldRunner, await oldRunner.next('start'));
  await oldRunner.disconnect();
  const back = (await call('POST', `/api/deployments/${first.id}/rollback`, { token })).body.deployment;
  await patch({ runnerId: next.runnerId });
  await deploy();
  expect(await nextRunner.unread()).toEqual([]);
  const returned = await FakeRunner.connect(old.keys);
  const start = await returned.next('start');
  expect(start.spec).toMatchObject({ deploymentId: back.id });
  await end(returned, start);
  await expect.poll(async () => nextRunner.unreadNow).toEqual(['start']);
});

test('a deletion reaches the host it is on and the one it is about to move to', async () => {
  await patch({ runnerId: next.runnerId });
  await deploy();
  const { job } = await nextRunner.next('start');
  expect((await jobRow(job)).runnerId).toBe(next.runnerId);
  const deleted = call('DELETE', `/api/services/${service.id}`, { token });
  for (const runner of [oldRunner, nextRunner]) {
    const { id, task } = await runner.next('task');
    expect(task).toMatchObject({ kind: 'remove-service', serviceId: service.id });
    runner.send({ v: 1, type: 'task-done', id, proxy: { ok: true, detail: 'gone' } });
  }
  expect((await deleted).body.proxy.ok).toBe(true);
});
