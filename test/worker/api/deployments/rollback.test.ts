/**
 * Going back to an earlier version, as the host is told of it.
 * @module-tag slow
 */
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import type { HubFrameOf } from '../../../../protocol/frames.ts';
import { deployments } from '../../../../worker/store/schema/deployments.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import { sweepJobs } from '../../../../worker/usecases/jobs/sweep-jobs.ts';
import { createClient, deps, insertKey, insertRunner } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { deploymentRow, newHost, serviceRow, type TestHost } from '../../../support/worker/host.ts';

type Service = Awaited<ReturnType<TestHost['addService']>>;

const call = createClient();
let host: TestHost;
let runner: FakeRunner;
let service: Service;

const { token } = await insertKey();

beforeEach(async () => {
  host = await newHost();
  runner = await FakeRunner.connect(host.keys);
  service = await host.addService();
});

const post = (path: string, body?: unknown) =>
  call('POST', path, { token, ...(body === undefined ? {} : { body }) });
const rollback = (deploymentId: string) => post(`/api/deployments/${deploymentId}/rollback`);
const set = (key: string, value: string) => post(`/api/services/${service.id}/env`, { key, value });

async function succeed(start: HubFrameOf<'start'>, commitSha?: string) {
  const { deploymentId, serviceId } = start.spec as { deploymentId: string; serviceId: string };
  const facts = { imageTag: `longshore-${serviceId}-${deploymentId}`, ...(commitSha ? { commitSha } : {}) };
  await runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts } });
}

/** Deploys the service, and answers what its host was told. */
async function ship(commitSha: string): Promise<string> {
  const { body } = await post(`/api/services/${service.id}/deployments`);
  await succeed(await runner.next('start'), commitSha);
  return body.deployment.id;
}

async function refused(deploymentId: string): Promise<string> {
  const { status, body } = await rollback(deploymentId);
  expect([status, body.code]).toEqual([409, 'conflict']);
  return body.error;
}

const kept = async () => {
  const rows = await deps.db.select().from(deployments).where(eq(deployments.serviceId, service.id));
  return rows.filter(({ sealedSnapshot }) => sealedSnapshot !== null).map(({ id }) => id);
};

test("a rollback starts the stored image with that deployment's variables and the current names, port and limits", async () => {
  await set('GREETING', 'first');
  await set('GONE', 'still there');
  const first = await ship('a'.repeat(40));
  const variable = (await call('GET', `/api/services/${service.id}/overview`, { token })).body.env[1];
  await call('DELETE', `/api/services/${service.id}/env/${variable.id}`, { token });
  await set('GREETING', 'second');
  await ship('b'.repeat(40));
  await deps.db
    .update(services)
    .set({ internalPort: 9999, startCommand: 'other', generatedHostname: 'now.localhost', memoryLimitMb: 64 })
    .where(eq(services.id, service.id));

  const { status, body } = await rollback(first);
  expect([status, body]).toEqual([
    200,
    {
      deployment: {
        id: expect.stringMatching(/^dep_[a-z0-9]{16}$/),
        serviceId: service.id,
        commitSha: null,
        commitMessage: null,
        commitAuthor: null,
        branch: null,
        startedBy: { type: 'key', id: expect.any(String), name: 'test' },
        ref: null,
        sourceDigest: null,
        failureCode: null,
        failureMessage: null,
        waitsFor: null,
        status: 'queued',
        trigger: 'rollback',
        imageTag: null,
        imageDigest: null,
        containerName: null,
        startedAt: null,
        finishedAt: null,
        createdAt: expect.any(String),
      },
      switch: 'overlap',
    },
  ]);
  const start = await runner.next('start');
  expect(start.spec).toMatchObject({
    deploymentId: body.deployment.id,
    source: { type: 'kept', deploymentId: first, commitSha: 'a'.repeat(40) },
    internalPort: service.internalPort,
    build: { startCommand: null },
    hostnames: ['now.localhost'],
    hostPort: service.hostPort,
    memoryLimitMb: 64,
  });
  expect((await runner.openBox(start)).env).toEqual({ GREETING: 'first', GONE: 'still there' });
  await succeed(start, 'a'.repeat(40));
  expect(await deploymentRow(body.deployment.id)).toMatchObject({
    status: 'running',
    trigger: 'rollback',
    sourceDeploymentId: first,
    commitSha: 'a'.repeat(40),
    imageTag: `longshore-${service.id}-${body.deployment.id}`,
  });
  expect((await serviceRow(service.id)).status).toBe('active');
});

test('a rollback can be rolled back to like any other version, by its own image', async () => {
  await set('GREETING', 'first');
  const first = await ship('a'.repeat(40));
  await ship('b'.repeat(40));
  const back = (await rollback(first)).body.deployment.id;
  await succeed(await runner.next('start'), 'a'.repeat(40));
  await ship('c'.repeat(40));
  expect((await rollback(back)).status).toBe(200);
  const start = await runner.next('start');
  expect(start.spec).toMatchObject({
    source: { type: 'kept', deploymentId: back, commitSha: 'a'.repeat(40) },
  });
  expect((await runner.openBox(start)).env).toEqual({ GREETING: 'first' });
});

test('the last five versions are kept, on the host and with their variables; older ones are refused', async () => {
  const ids: string[] = [];
  for (const letter of ['a', 'b', 'c', 'd', 'e', 'f']) ids.push(await ship(letter.repeat(40)));
  expect(await kept()).toEqual(ids.slice(1));
  expect(await refused(ids[0] ?? '')).toContain('no longer stored');
  await post(`/api/services/${service.id}/deployments`);
  const start = await runner.next('start');
  expect((start.spec as { keptDeployments: string[] }).keptDeployments.toSorted()).toEqual(
    ids.slice(2).toSorted(),
  );
});

test('the image that a queued rollback needs stays, however many deployments are before it', async () => {
  const ids: string[] = [];
  for (const letter of ['a', 'b', 'c', 'd', 'e']) ids.push(await ship(letter.repeat(40)));
  await post(`/api/services/${service.id}/deployments`);
  const before = await runner.next('start');
  await rollback(ids[0] ?? '');
  await succeed(before);
  const start = await runner.next('start');
  expect(start.spec).toMatchObject({
    source: { deploymentId: ids[0] },
    keptDeployments: expect.arrayContaining([ids[0], ids[4]]),
  });
});

test('a failed deployment keeps its variables only as the newest, and what was kept before stays', async () => {
  const first = await ship('a'.repeat(40));
  await post(`/api/services/${service.id}/deployments`);
  const start = await runner.next('start');
  const result = { outcome: 'failed', facts: {}, code: 'build_failed', message: 'no' } as const;
  await runner.report(start, { type: 'result', result });
  expect(await kept()).toEqual([first, (start.spec as { deploymentId: string }).deploymentId]);
  const second = await ship('b'.repeat(40));
  expect(await kept()).toEqual([first, second]);
});

test('a deployment that never ran, runs now, or ran on another host is refused with the reason', async () => {
  const live = await ship('a'.repeat(40));
  expect(await refused(live)).toContain('already live');
  const queued = (await post(`/api/services/${service.id}/deployments`)).body.deployment.id;
  expect(await refused(queued)).toContain('has not run yet');
  await succeed(await runner.next('start'), 'b'.repeat(40));
  const aborted = (await post(`/api/services/${service.id}/deployments`)).body.deployment.id;
  const start = await runner.next('start');
  await post(`/api/deployments/${aborted}/abort`);
  await runner.report(start, { type: 'result', result: { outcome: 'aborted', facts: {} } });
  expect(await refused(aborted)).toContain('never ran');
  const other = await insertRunner();
  await deps.db.update(services).set({ runnerId: other.id }).where(eq(services.id, service.id));
  expect(await refused(live)).toContain('another host');
});

test('a database is restored, not rolled back', async () => {
  const first = await ship('a'.repeat(40));
  await ship('b'.repeat(40));
  await deps.db.update(services).set({ kind: 'database' }).where(eq(services.id, service.id));
  expect(await refused(first)).toContain('backups');
});

test('an image that the host has lost fails the rollback with its sentence, and the live version stays', async () => {
  const first = await ship('a'.repeat(40));
  const second = await ship('b'.repeat(40));
  const back = (await rollback(first)).body.deployment.id;
  const start = await runner.next('start');
  const result = { outcome: 'failed', facts: {}, code: 'image_gone', message: 'It is gone.' } as const;
  await runner.report(start, { type: 'result', result });
  expect([(await deploymentRow(back)).status, (await deploymentRow(second)).status]).toEqual([
    'failed',
    'running',
  ]);
});

test('settings removed between the request and its turn end the rollback with one sentence', async () => {
  const first = await ship('a'.repeat(40));
  await ship('b'.repeat(40));
  await post(`/api/services/${service.id}/deployments`);
  const before = await runner.next('start');
  const back = (await rollback(first)).body.deployment.id;
  await deps.db.update(deployments).set({ sealedSnapshot: null }).where(eq(deployments.id, first));
  await succeed(before);
  await sweepJobs(deps);
  await expect.poll(async () => (await deploymentRow(back)).status).toBe('failed');
  const { body } = await call('GET', `/api/deployments/${back}/logs`, { token });
  expect(body.logs.at(-1).line).toContain('no longer stored');
});

test('a rollback masks what was secret then, and what was declared secret since', async () => {
  await set('API_KEY', 'abcdef');
  await set('GREETING', 'hello');
  await set('MODE', 'fast');
  const first = await ship('a'.repeat(40));
  await post(`/api/services/${service.id}/env`, { key: 'GREETING', value: 'hello', secret: true });
  await post(`/api/services/${service.id}/env`, { key: 'LATER', value: 'new', secret: true });
  await post(`/api/services/${service.id}/env`, { key: 'API_KEY', value: 'abcdef', secret: false });
  const next = await post(`/api/services/${service.id}/deployments`);
  const start = await runner.next('start');
  expect((await runner.openBox(start)).secretKeys).toEqual(['GREETING', 'LATER']);
  await succeed(start, 'b'.repeat(40));
  expect(next.status).toBe(200);
  await rollback(first);
  const { env, secretKeys } = await runner.openBox(await runner.next('start'));
  expect(env).toEqual({ API_KEY: 'abcdef', GREETING: 'hello', MODE: 'fast' });
  expect(secretKeys?.sort()).toEqual(['API_KEY', 'GREETING']);
});
