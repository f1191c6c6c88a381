/**
 * Restore drills by hand over the API, and what goes before them. The host is played here.
 * @module-tag slow
 */
import { expect, test } from 'vitest';
import type { HubFrameOf } from '../../../../protocol/frames.ts';
import type { ArchiveFacts } from '../../../../protocol/job-report.ts';
import { createClient, insertKey, type Json } from '../../../support/worker/api.ts';
import { insertDeploymentOf } from '../../../support/worker/deployment-rows.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { deploy, newHost, type TestHost } from '../../../support/worker/host.ts';

const call = createClient();
const { token } = await insertKey();

const archive: ArchiveFacts = {
  sizeBytes: 42,
  checksum: `sha256:${'a'.repeat(64)}`,
  localPath: '/data/bak',
  remoteKey: null,
  tables: 2,
  rows: 7,
};
const success = { type: 'result', result: { outcome: 'succeeded', facts: {} } } as const;
const aborted = { type: 'result', result: { outcome: 'aborted', facts: {} } } as const;

/** A database on this host with a backup that succeeded. */
async function database(host: TestHost, runner: FakeRunner) {
  const service = await host.addService({
    ...{ kind: 'database', repoFullName: 'database:postgres', generatedHostname: null },
    ...{ lastDeployedAt: 1, status: 'active' },
  });
  await insertDeploymentOf(service.id, {
    job: { state: 'succeeded', finishedAt: 1 },
    deployment: { status: 'running', finishedAt: 1 },
  });
  const base = `/api/services/${service.id}/database/backups`;
  const send = (method: string, path = '', body?: unknown) =>
    call(method, `${base}${path}`, { token, ...(body === undefined ? {} : { body }) });
  const { backup } = (await send('POST', '', { storage: 'disk' })).body;
  const start = await runner.next('start');
  await runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts: { archive } } });
  return {
    service,
    send,
    backupId: backup.id as string,
    prove: () => send('POST', `/${backup.id}/prove`),
    listed: async (): Promise<Json> =>
      (await send('GET')).body.backups.find(({ id }: Json) => id === backup.id),
  };
}

async function connected() {
  const host = await newHost();
  return { host, runner: await FakeRunner.connect(host.keys) };
}

async function drilled() {
  const { host, runner } = await connected();
  const bench = await database(host, runner);
  const { status, body } = await bench.prove();
  const start = await runner.next('start');
  return { ...bench, host, runner, start, status, drill: body.drill as Json };
}

/** What the runner says once it has taken back what it had begun. */
async function endAborted(runner: FakeRunner, start: HubFrameOf<'start'>) {
  expect((await runner.next('abort')).job).toBe(start.job);
  await runner.report(start, aborted);
}

test('a drill by hand is running when the request is answered, reports its progress, and verifies its backup', async () => {
  const { status, drill, start, runner, backupId, service, listed } = await drilled();
  expect([status, drill]).toMatchObject([
    200,
    { backupId, trigger: 'manual', state: 'running', error: null, finishedAt: null },
  ]);
  const { sizeBytes, checksum, tables, rows } = archive;
  expect(start.spec).toMatchObject({
    ...{ kind: 'drill', engine: 'postgres', drillId: drill.id, serviceId: service.id },
    backup: { id: backupId, serviceId: service.id, sizeBytes, checksum, tables, rows },
  });
  const progress = { done: 1, total: 4, unit: 'bytes' as const };
  await runner.report(start, { type: 'phase', phase: 'load', facts: { progress } });
  expect(await listed()).toMatchObject({
    lastProvenAt: null,
    drill: { id: drill.id, state: 'running', progress },
  });
  await runner.report(start, success);
  const after = await listed();
  expect(after).toMatchObject({ status: 'succeeded', drill: { state: 'succeeded', progress: null } });
  expect([typeof after.lastProvenAt, after.lastProvenAt]).toEqual(['string', after.drill.finishedAt]);
});

test('a failed drill reports its reason with its backup, which keeps its earlier lastProvenAt', async () => {
  const { runner, start, prove, listed } = await drilled();
  await runner.report(start, success);
  const { lastProvenAt } = await listed();
  await prove();
  const second = await runner.next('start');
  const message = 'The backup has 7 rows in 2 tables, but 6 rows in 2 tables were loaded from it.';
  const result = { outcome: 'failed', code: 'drill_failed', message, facts: {} } as const;
  await runner.report(second, { type: 'result', result });
  expect(await listed()).toMatchObject({
    status: 'succeeded',
    lastProvenAt,
    drill: { state: 'failed', error: message },
  });
});

test('only one drill of a database runs at a time, and keeps its backup from being deleted', async () => {
  const { prove, send, backupId, runner, start } = await drilled();
  const busy = { status: 409, body: { code: 'conflict' } };
  expect(await prove()).toMatchObject(busy);
  expect(await send('DELETE', `/${backupId}`)).toMatchObject(busy);
  await runner.report(start, success);
  expect((await prove()).status).toBe(200);
});

test('a drill by hand is aborted by its own route; there is nothing to abort after it', async () => {
  const { send, backupId, runner, start, listed } = await drilled();
  const abort = () => send('POST', `/${backupId}/prove/abort`);
  expect((await abort()).body).toEqual({ accepted: true });
  await endAborted(runner, start);
  expect(await listed()).toMatchObject({ lastProvenAt: null, drill: { state: 'aborted' } });
  expect(await abort()).toMatchObject({ status: 409, body: { code: 'cannot_abort' } });
});

test('a drill by hand of a backup that runs, or failed, is refused', async () => {
  const { send, prove, runner, start, backupId } = await drilled();
  await runner.report(start, success);
  const { backup } = (await send('POST', '', { storage: 'disk' })).body;
  expect(await prove()).toMatchObject({ status: 409 });
  const taking = await runner.next('start');
  expect(await send('POST', `/${backup.id}/prove`)).toMatchObject({
    status: 409,
    body: { error: expect.stringMatching(/only a successful backup/) },
  });
  await runner.report(taking, aborted);
  expect(await send('POST', `/${backup.id}/prove`)).toMatchObject({ status: 409 });
  expect(await send('POST', '/bak_aaaaaaaaaaaaaaaa/prove')).toMatchObject({ status: 404 });
  expect(backupId).not.toBe(backup.id);
});

test('a requested backup is taken, and the running drill is aborted for it', async () => {
  const { send, runner, start, listed } = await drilled();
  expect((await send('POST', '', { storage: 'disk' })).status).toBe(200);
  await endAborted(runner, start);
  expect((await runner.next('start')).spec.kind).toBe('backup');
  expect(await listed()).toMatchObject({ drill: { state: 'aborted' } });
});

test('a restore of the same backup, and a deployment, abort the drill too', async () => {
  const { send, runner, start, service, backupId, prove } = await drilled();
  const restored = send('POST', `/${backupId}/restore`);
  await endAborted(runner, start);
  const restore = await runner.next('start');
  expect(restore.spec.kind).toBe('restore');
  const denied = { outcome: 'failed', code: 'restore_failed', message: 'No.', facts: {} } as const;
  await runner.report(restore, { type: 'result', result: denied });
  expect((await restored).status).toBe(409);
  await prove();
  const second = await runner.next('start');
  const variable = { key: 'POSTGRES_PASSWORD', value: 'secret' };
  await call('POST', `/api/services/${service.id}/env`, { token, body: variable });
  await deploy(service);
  await endAborted(runner, second);
  expect((await runner.next('start')).spec.kind).toBe('deploy');
});

test('a drill that waits for its host runs after later requests', async () => {
  const { host, runner } = await connected();
  const bench = await database(host, runner);
  await runner.disconnect();
  await bench.prove();
  expect((await bench.send('POST', '', { storage: 'disk' })).status).toBe(200);
  const again = await FakeRunner.connect(host.keys);
  const first = await again.next('start');
  expect(first.spec.kind).toBe('backup');
  await again.report(first, { type: 'result', result: { outcome: 'succeeded', facts: { archive } } });
  expect((await again.next('start')).spec.kind).toBe('drill');
});

test('a host has one drill at a time, and other services do not wait for it', async () => {
  const { host, runner, start } = await drilled();
  const other = await database(host, runner);
  await other.prove();
  expect(await runner.unread()).toEqual([]);
  for (const service of [await host.addService(), await host.addService()]) await deploy(service);
  expect([(await runner.next('start')).spec.kind, (await runner.next('start')).spec.kind]).toEqual([
    'deploy',
    'deploy',
  ]);
  await runner.report(start, success);
  const next = await runner.next('start');
  expect(next.spec).toMatchObject({ kind: 'drill', backup: { id: other.backupId } });
});
