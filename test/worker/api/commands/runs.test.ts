/**
 * Commands that run once, as clients start and follow them and as the host is told.
 * @module-tag slow
 */
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import type { HubFrameOf } from '../../../../protocol/frames.ts';
import type { JobResult } from '../../../../protocol/job-report.ts';
import type { RunnerFacts } from '../../../../protocol/runner-facts.ts';
import { events } from '../../../../worker/store/schema/events.ts';
import { runners } from '../../../../worker/store/schema/runners.ts';
import { services } from '../../../../worker/store/schema/services.ts';
import { testFacts } from '../../../support/test-facts.ts';
import { createClient, deps, insertKey, type Json, operatorToken } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost, serviceRow, type TestHost } from '../../../support/worker/host.ts';

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

const ask = (method: string, path: string, body?: unknown) =>
  call(method, `/api/services/${service.id}/${path}`, { token, ...(body === undefined ? {} : { body }) });
const run = (command: string, more = {}) => ask('POST', 'run', { command, ...more });
const runOf = async (id: string): Promise<Json> => (await ask('GET', `runs/${id}`)).body.run;

const end = (start: HubFrameOf<'start'>, result: JobResult) =>
  runner.report(start, { type: 'result', result });
const succeed = (start: HubFrameOf<'start'>, exitCode?: number) =>
  end(start, { outcome: 'succeeded', facts: exitCode === undefined ? {} : { exitCode } });

async function ship(): Promise<string> {
  const { body } = await ask('POST', 'deployments');
  await succeed(await runner.next('start'));
  return body.deployment.id;
}

test('a command gets the live image, the variables of now and the limits; its output and exit code can be read', async () => {
  const live = await ship();
  await ask('POST', 'env', { key: 'MODE', value: 'changed' });
  await deps.db.update(services).set({ memoryLimitMb: 64 }).where(eq(services.id, service.id));
  const { status, body } = await run('npm run migrate', { timeLimitSeconds: 60 });
  expect([status, body.run]).toEqual([
    200,
    expect.objectContaining({
      command: 'npm run migrate',
      scheduleId: null,
      status: 'queued',
      exitCode: null,
      timeLimitSeconds: 60,
    }),
  ]);
  const start = await runner.next('start');
  expect(start.spec).toMatchObject({
    ...{ kind: 'run', runId: body.run.id, deploymentId: live, command: 'npm run migrate' },
    ...{ timeLimitSeconds: 60, memoryLimitMb: 64 },
  });
  expect((await runner.openBox(start)).env).toEqual({ MODE: 'changed' });
  await runner.report(start, { type: 'phase', phase: 'run', facts: {} });
  expect(await runOf(body.run.id)).toMatchObject({ status: 'running', startedAt: expect.any(String) });
  const lines = [{ stream: 'stdout' as const, line: 'two tables', at: Date.now() }];
  const { job, epoch } = start;
  runner.send({ v: 1, type: 'logs', job, epoch, first: 1, last: true, lines });
  await runner.next('log-ack');
  await succeed(start, 0);
  expect(await runOf(body.run.id)).toMatchObject({ status: 'succeeded', exitCode: 0, error: null });
  const stream = await ask('GET', `runs/${body.run.id}/stream`);
  expect(stream.text).toContain('two tables');
  expect(stream.text).toContain('"closed":true');
  expect((await serviceRow(service.id)).status).toBe('active');
});

test('a command waits neither for a deployment of its service nor does one wait for it', async () => {
  await ship();
  await ask('POST', 'deployments');
  const deployment = await runner.next('start');
  const first = (await run('sleep 60')).body.run.id;
  const command = await runner.next('start');
  expect(command.spec).toMatchObject({ kind: 'run', runId: first });
  await run('sleep 61');
  await runner.next('start');
  await succeed(deployment);
  await ask('POST', 'deployments');
  expect((await runner.next('start')).spec).toMatchObject({ kind: 'deploy' });
});

test('a command that fails is told with its exit code, and raises an event; one that is aborted raises none', async () => {
  await ship();
  await call('PATCH', '/api/system/settings', {
    token: operatorToken,
    body: { eventWebhook: { url: 'https://events.example/hook' } },
  });
  const failed = (await run('exit 3')).body.run.id;
  const message = 'The command ended with exit code 3.';
  await end(await runner.next('start'), {
    outcome: 'failed',
    code: 'run_failed',
    message,
    facts: { exitCode: 3 },
  });
  expect(await runOf(failed)).toMatchObject({ status: 'failed', exitCode: 3, error: message });
  const aborted = (await run('sleep 60')).body.run.id;
  const start = await runner.next('start');
  expect((await ask('POST', `runs/${aborted}/abort`)).body).toEqual({ accepted: true });
  await runner.next('abort');
  await end(start, { outcome: 'aborted', facts: {} });
  expect(await runOf(aborted)).toMatchObject({ status: 'aborted', exitCode: null });
  expect((await ask('POST', `runs/${aborted}/abort`)).body.code).toBe('cannot_abort');
  const raised = await deps.db.select().from(events).where(eq(events.serviceId, service.id));
  expect(raised.map(({ type, resourceId }) => [type, resourceId])).toEqual([['run.failed', failed]]);
  const { runs } = (await ask('GET', 'runs')).body;
  expect(runs.map(({ id }: Json) => id)).toEqual([aborted, failed]);
});

test('a service has five commands at once at most, and what has no image is refused with the way out', async () => {
  expect((await run('true')).body.error).toContain('deploy it first');
  await ship();
  for (let index = 0; index < 5; index++) await run('sleep 60');
  const sixth = await run('true');
  expect([sixth.status, sixth.body.code]).toEqual([409, 'quota_exceeded']);
  const stopped = await ask('POST', 'run', { command: ' ', timeLimitSeconds: 0 });
  expect([stopped.status, stopped.body.code]).toEqual([400, 'invalid_request']);
  service = await host.addService({ kind: 'database', repoUrl: 'database', repoFullName: 'database:redis' });
  expect((await run('true')).body.code).toBe('unsupported');
});

test('a command says where it runs, and its host is told', async () => {
  await ship();
  for (const [asked, container] of [
    [{}, 'new'],
    [{ container: 'live' }, 'live'],
  ] as const) {
    const { run: queued } = (await run('npm run report', asked)).body;
    expect(queued).toMatchObject({ container, status: 'queued' });
    const start = await runner.next('start');
    expect(start.spec).toMatchObject({ runId: queued.id, runsIn: container });
    await succeed(start, 0);
    expect(await runOf(queued.id)).toMatchObject({ container, status: 'succeeded' });
  }
  expect(await run('true', { container: 'running' })).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining('"container"') },
  });
});

test('a command for the running container of a stopped service is refused with the way out; one for a new container is not', async () => {
  await ship();
  await deps.db.update(services).set({ stopped: true }).where(eq(services.id, service.id));
  expect(await run('true', { container: 'live' })).toMatchObject({
    ...{ status: 409, body: { code: 'conflict' } },
    body: { error: expect.stringMatching(/is stopped.*\/start, or set "container" to "new"/) },
  });
  expect((await run('true')).status).toBe(200);
});

test('a command for a running container is never sent to a runner that would start a new one', async () => {
  await ship();
  // The facts of 0.2.0 have no such field, and the table has them as they came.
  const { liveCommands: _, ...facts } = testFacts;
  await deps.db
    .update(runners)
    .set({ facts: facts as RunnerFacts })
    .where(eq(runners.id, host.runnerId));
  const { id } = (await run('npm run report', { container: 'live' })).body.run;
  await expect.poll(async () => (await runOf(id)).status).toBe('failed');
  expect(await runOf(id)).toMatchObject({
    exitCode: null,
    error: expect.stringMatching(/upgrade the host .*, or set "container" to "new"/),
  });
  const next = (await run('true')).body.run.id;
  expect((await runner.next('start')).spec).toMatchObject({ runId: next, runsIn: 'new' });
});
