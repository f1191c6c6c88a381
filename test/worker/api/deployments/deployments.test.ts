import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { deploymentRoutes } from '../../../../worker/api/deployments/deployments.ts';
import { createDependencies } from '../../../../worker/context.ts';
import { runners } from '../../../../worker/store/schema/runners.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import { type Client, createClient, deps, insertKey } from '../../../support/worker/api.ts';
import {
  insertDeploymentOf,
  insertHostedService,
  NotingHubs,
  rowsOf,
} from '../../../support/worker/deployment-rows.ts';
import { parseEvents } from '../../../support/worker/log-reader.ts';

let hubs: NotingHubs;
let call: Client;
let token: string;

beforeEach(async () => {
  hubs = new NotingHubs();
  call = createClient({ dependenciesOf: () => ({ ...createDependencies(env), hubs }) }, deploymentRoutes);
  ({ token } = await insertKey());
});

async function statusOf(serviceId: string) {
  const [row] = await deps.db.select().from(services).where(eq(services.id, serviceId));
  return row?.status;
}

test('a deployment is queued as a row before it is sent to its host', async () => {
  const { service, runner } = await insertHostedService();
  let rowAtWake: string | undefined;
  hubs.wake = async (runnerId) => {
    hubs.calls.push(`wake ${runnerId}`);
    rowAtWake = await statusOf(service.id);
  };
  const { status, body } = await call('POST', `/api/services/${service.id}/deployments`, { token });
  expect(status).toBe(200);
  expect(body).toEqual({
    deployment: {
      id: expect.stringMatching(/^dep_[a-z0-9]{16}$/),
      serviceId: service.id,
      commitSha: null,
      commitMessage: null,
      commitAuthor: null,
      branch: null,
      ref: null,
      sourceDigest: null,
      failureCode: null,
      failureMessage: null,
      waitsFor: null,
      status: 'queued',
      trigger: 'manual',
      startedBy: { type: 'key', id: expect.stringMatching(/^key_/), name: 'test' },
      imageTag: null,
      imageDigest: null,
      containerName: null,
      startedAt: null,
      finishedAt: null,
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    },
    switch: 'overlap',
  });
  expect(hubs.calls).toEqual([`wake ${runner.id}`]);
  expect(rowAtWake).toBe('queued');
  const { job } = await rowsOf(body.deployment.id);
  expect(job).toMatchObject({ kind: 'deploy', state: 'queued', epoch: 0, runnerId: runner.id, phase: null });
});

test('a service whose host was revoked takes no deployment, and nothing is written', async () => {
  const { service, runner } = await insertHostedService();
  await deps.db.update(runners).set({ revokedAt: 1 }).where(eq(runners.id, runner.id));
  const { status, body } = await call('POST', `/api/services/${service.id}/deployments`, { token });
  expect([status, body.code]).toEqual([409, 'no_runner']);
  expect((await call('GET', `/api/services/${service.id}/deployments`, { token })).body).toEqual({
    deployments: [],
  });
  expect([await statusOf(service.id), hubs.calls]).toEqual(['idle', []]);
});

test('a deployment queued behind one that is built leaves the service building', async () => {
  const { service } = await insertHostedService();
  await insertDeploymentOf(service.id, { job: { state: 'active' }, deployment: { status: 'building' } });
  await call('POST', `/api/services/${service.id}/deployments`, { token });
  expect(await statusOf(service.id)).toBe('building');
});

test('deployments are listed newest first, those of one moment too', async () => {
  const { service } = await insertHostedService();
  const ids: string[] = [];
  for (const createdAt of [1_000, 3_000, 3_000, 2_000]) {
    ids.push((await insertDeploymentOf(service.id, { deployment: { createdAt } })).deployment.id);
  }
  const { body } = await call('GET', `/api/services/${service.id}/deployments`, { token });
  expect(body.deployments.map(({ id }: { id: string }) => id)).toEqual([ids[2], ids[1], ids[3], ids[0]]);
});

test('a page holds `limit` deployments, and `before` continues where it ended, whatever comes meanwhile', async () => {
  const { service } = await insertHostedService();
  const path = `/api/services/${service.id}/deployments`;
  const made: string[] = [];
  for (let n = 0; n < 7; n++) {
    made.push((await insertDeploymentOf(service.id, { deployment: { createdAt: 1_000 } })).deployment.id);
  }
  const pages: string[][] = [];
  for (let before = ''; ; ) {
    const { body } = await call('GET', `${path}?limit=3${before && `&before=${before}`}`, { token });
    pages.push(body.deployments.map(({ id }: { id: string }) => id));
    before = pages.at(-1)?.at(-1) ?? '';
    if (before === '') break;
    await insertDeploymentOf(service.id, { deployment: { createdAt: 1_000 } });
  }
  expect(pages.map(({ length }) => length)).toEqual([3, 3, 1, 0]);
  expect(pages.flat()).toEqual(made.reverse());
  const all = (await call('GET', path, { token })).body.deployments;
  expect(all).toHaveLength(10);
});

test('a list without a limit has the newest hundred deployments', async () => {
  const { service } = await insertHostedService();
  const rows = Array.from({ length: 101 }, (_, n) => ({ id: `job_x${n}`, deploymentId: `dep_x${n}` }));
  await env.DB.batch([
    env.DB.prepare(`insert into jobs (id, kind, service_id, runner_id, state, epoch, queued_at)
      select value ->> 'id', 'deploy', ?1, ?2, 'failed', 0, 0 from json_each(?3)`).bind(
      service.id,
      service.runnerId,
      JSON.stringify(rows),
    ),
    env.DB.prepare(`insert into deployments (id, service_id, job_id, status, trigger, created_at)
      select value ->> 'deploymentId', ?1, value ->> 'id', 'failed', 'manual', 0 from json_each(?2)`).bind(
      service.id,
      JSON.stringify(rows),
    ),
  ]);
  const { body } = await call('GET', `/api/services/${service.id}/deployments`, { token });
  expect([body.deployments.length, body.deployments[0].id, body.deployments[99].id]).toEqual([
    100,
    'dep_x100',
    'dep_x1',
  ]);
});

test.each([
  ['limit=0', '"limit" must be a whole number from 1 to 500'],
  ['limit=501', '"limit" must be a whole number from 1 to 500'],
  ['limit=ten', '"limit" must be a whole number from 1 to 500'],
  ['limit=1.5', '"limit" must be a whole number from 1 to 500'],
  ['before=dep_0000000000000000', '"before" must be the id of a deployment of this service'],
  ['before=1', '"before" must be a deployment id'],
  ['page=2', '"page" does not exist'],
])('a list of deployments is refused with %s', async (query, sentence) => {
  const { service } = await insertHostedService();
  const { status, body } = await call('GET', `/api/services/${service.id}/deployments?${query}`, { token });
  expect([status, body.code, body.error]).toEqual([
    400,
    'invalid_request',
    expect.stringContaining(sentence),
  ]);
});

test('a deployment of another service is refused as `before`', async () => {
  const { service } = await insertHostedService();
  const other = await insertHostedService();
  const { deployment } = await insertDeploymentOf(other.service.id);
  const path = `/api/services/${service.id}/deployments?before=${deployment.id}`;
  expect((await call('GET', path, { token })).status).toBe(400);
});

test('a queued deployment is aborted at once: rows, service and log end', async () => {
  const { service } = await insertHostedService();
  const { deployment } = await insertDeploymentOf(service.id);
  const { status, body } = await call('POST', `/api/deployments/${deployment.id}/abort`, { token });
  expect([status, body]).toEqual([200, { accepted: true }]);
  const rows = await rowsOf(deployment.id);
  expect(rows.job.state).toBe('aborted');
  expect(rows.deployment).toMatchObject({
    status: 'aborted',
    finishedAt: expect.any(Number),
    startedAt: null,
  });
  expect([await statusOf(service.id), hubs.calls]).toEqual(['idle', []]);

  const stream = await call('GET', `/api/deployments/${deployment.id}/stream`, { token });
  const [snapshot, end, ...others] = parseEvents(stream.text);
  expect(JSON.parse(snapshot?.data ?? '')).toMatchObject([
    { id: 1, stream: 'system', line: 'The deployment was aborted.' },
  ]);
  expect(end).toMatchObject({
    event: 'status',
    data: '{"ok":false,"closed":true,"status":"aborted","code":null,"error":null}',
  });
  expect(others).toEqual([]);
});

test("aborting a queued deployment leaves the rest of the service's state", async () => {
  const { service } = await insertHostedService();
  await insertDeploymentOf(service.id, {
    job: { state: 'succeeded' },
    deployment: { status: 'running', finishedAt: 5 },
  });
  const first = await insertDeploymentOf(service.id);
  const second = await insertDeploymentOf(service.id);
  await call('POST', `/api/deployments/${first.deployment.id}/abort`, { token });
  expect(await statusOf(service.id)).toBe('queued');
  await call('POST', `/api/deployments/${second.deployment.id}/abort`, { token });
  expect(await statusOf(service.id)).toBe('active');
});

test.each([null, 'clone', 'build', 'start', 'health'] as const)(
  'a running deployment (phase %s) is asked to stop through its host',
  async (phase) => {
    const { service, runner } = await insertHostedService();
    const { deployment, job } = await insertDeploymentOf(service.id, {
      job: { state: 'active', phase, epoch: 1 },
      deployment: { status: 'building' },
    });
    expect((await call('POST', `/api/deployments/${deployment.id}/abort`, { token })).body).toEqual({
      accepted: true,
    });
    const asked = await rowsOf(deployment.id);
    expect(asked.job).toMatchObject({ state: 'active', phase, abortRequestedAt: expect.any(Number) });
    expect((await call('POST', `/api/deployments/${deployment.id}/abort`, { token })).status).toBe(200);
    expect((await rowsOf(deployment.id)).job).toEqual(asked.job);
    expect(hubs.calls).toEqual(Array(2).fill(`abort ${runner.id} ${job.id}`));
  },
);

test.each([
  ['active', 'switch', 'building', 'receiving traffic'],
  ['active', 'finish', 'building', 'receiving traffic'],
  ['succeeded', 'finish', 'running', 'it is live'],
  ['succeeded', 'finish', 'superseded', 'it is already superseded'],
  ['failed', 'build', 'failed', 'it is already failed'],
  ['aborted', null, 'aborted', 'it is already aborted'],
] as const)(
  'a job that is %s in phase %s cannot be aborted (409): %s',
  async (state, phase, status, reason) => {
    const { service } = await insertHostedService();
    const { deployment, job } = await insertDeploymentOf(service.id, {
      job: { state, phase },
      deployment: { status },
    });
    const reply = await call('POST', `/api/deployments/${deployment.id}/abort`, { token });
    expect([reply.status, reply.body.code]).toEqual([409, 'cannot_abort']);
    expect(reply.body.error).toContain(reason);
    expect((await rowsOf(deployment.id)).job).toEqual({ ...job });
    expect(hubs.calls).toEqual([]);
  },
);
