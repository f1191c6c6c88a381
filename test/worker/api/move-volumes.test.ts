/** A service with volumes goes to another host with its files, or starts again on its own. Both hosts are played here. */
import { and, eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import type { HubFrameOf } from '../../../protocol/frames.ts';
import { hostTasks } from '../../../worker/store/schema/host-tasks.ts';
import { runners } from '../../../worker/store/schema/runners.ts';
import { oldDataForMs, settleMoves } from '../../../worker/usecases/jobs/settle-moves.ts';
import { createClient, deps, insertKey, type Json, testFacts } from '../../support/worker/api.ts';
import { FakeRunner } from '../../support/worker/fake-runner.ts';
import { deploymentRow, newHost, runnerRow, serviceRow, type TestHost } from '../../support/worker/host.ts';
import { clientWithBucket } from '../../support/worker/remote-backup.ts';

const call = createClient();
const { token } = await insertKey();
let old: TestHost;
let next: TestHost;
let oldRunner: FakeRunner;
let nextRunner: FakeRunner;
let service: Awaited<ReturnType<TestHost['addService']>>;
let volumeId: string;

type Start = HubFrameOf<'start'>;
const ask = (method: string, path: string, body?: Json, client = call) =>
  client(method, `/api/services/${service.id}${path}`, { token, body });
const move = (body: Json = {}, client = call) =>
  ask('POST', '/move', { runnerId: next.runnerId, ...body }, client);
const succeed = (runner: FakeRunner, start: Start, facts: Json = {}) =>
  runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts } });
const fail = (runner: FakeRunner, start: Start) =>
  runner.report(start, {
    type: 'result',
    result: { outcome: 'failed', facts: {}, code: 'disk_full', message: 'The disk is full.' },
  });

beforeEach(async () => {
  [old, next] = [await newHost(), await newHost()];
  oldRunner = await FakeRunner.connect(old.keys);
  nextRunner = await FakeRunner.connect(next.keys);
  service = await old.addService({ hostPort: 41_000 });
  volumeId = (await ask('POST', '/volumes', { name: 'data', mountPath: '/data' })).body.volume.id;
  await ask('POST', '/deployments');
  await succeed(oldRunner, await oldRunner.next('start'));
});

/** Answers the next task. */
async function answered(runner: FakeRunner) {
  const { id, task } = await runner.next('task');
  runner.send({ v: 1, type: 'task-done', id, proxy: { ok: true, detail: '' } });
  return task;
}

const archiveOf = ({ spec }: Start) => ({
  archive: {
    ...{ sizeBytes: 42, checksum: `sha256:${'a'.repeat(64)}`, localPath: null, tables: 0, rows: 7 },
    remoteKey: (spec as unknown as Json).remoteKey,
  },
});

const removals = (runnerId: string) =>
  deps.db
    .select()
    .from(hostTasks)
    .where(and(eq(hostTasks.runnerId, runnerId), eq(hostTasks.state, 'pending')));

test('a move stops the service, copies its volumes in order, deploys on the new host, and keeps the old files for three days', async () => {
  const dry = (await move({ dryRun: true })).body;
  expect(dry).toMatchObject({ deployment: null, switch: 'stop-start', dataMb: null });
  expect((await serviceRow(service.id)).stopped).toBe(false);
  const { deployment, detail } = (await move()).body;
  expect(detail).toContain('does not answer during the move');
  expect((await move()).status).toBe(409);
  expect(await answered(oldRunner)).toMatchObject({ kind: 'stop-service', serviceId: service.id });
  const backup = await oldRunner.next('start');
  expect(backup.spec).toMatchObject({
    ...{ kind: 'volume-backup', toDisk: false, volume: { id: volumeId }, quiesce: { type: 'none' } },
    remoteKey: expect.stringContaining(service.id),
  });
  expect(await nextRunner.unread()).toEqual([]);
  await succeed(oldRunner, backup, archiveOf(backup));
  const fill = await nextRunner.next('start');
  expect(fill.spec).toMatchObject({ kind: 'volume-fill', volume: { id: volumeId }, backup: { rows: 7 } });
  await succeed(nextRunner, fill);
  const start = await nextRunner.nextDeployment();
  expect(start.spec).toMatchObject({ deploymentId: deployment.id, volumes: [{ id: volumeId }] });
  await succeed(nextRunner, start);
  expect(await serviceRow(service.id)).toMatchObject({
    ...{ runnerId: next.runnerId, nextRunnerId: null, stopped: false, status: 'active' },
  });
  expect(await answered(oldRunner)).toMatchObject({ kind: 'remove-service' });
  await settleMoves(deps);
  await settleMoves(deps);
  const kept = await removals(old.runnerId);
  expect(kept.map(({ task }) => task)).toMatchObject([{ kind: 'remove-volume', volumeId }]);
  expect((kept[0]?.dueAt ?? 0) - deps.now()).toBeGreaterThan(oldDataForMs - 60_000);
  expect((await ask('GET', '/volume-backups')).body.backups).toMatchObject([
    { trigger: 'move', status: 'succeeded', storage: 'remote', volumeId },
  ]);
  // The way back replaces what is kept there, so that is no longer removed.
  await ask('POST', '/move', { runnerId: old.runnerId });
  expect(await removals(old.runnerId)).toEqual([]);
});

type Step = 'backup' | 'fill' | 'deploy' | 'abort';
test.each<Step>(['backup', 'fill', 'deploy', 'abort'])(
  'a move that ends at its %s starts the service again on its old host, and nothing of it stays on the new one',
  async (step) => {
    const { deployment } = (await move()).body;
    await answered(oldRunner);
    const backup = await oldRunner.next('start');
    if (step === 'backup') await fail(oldRunner, backup);
    else {
      if (step === 'abort') await call('POST', `/api/deployments/${deployment.id}/abort`, { token });
      await succeed(oldRunner, backup, archiveOf(backup));
    }
    if (step === 'fill' || step === 'deploy') {
      const fill = await nextRunner.next('start');
      await (step === 'fill' ? fail(nextRunner, fill) : succeed(nextRunner, fill));
    }
    if (step === 'deploy') await fail(nextRunner, await nextRunner.nextDeployment());
    await settleMoves(deps);
    const restart = await oldRunner.nextDeployment();
    expect(restart.spec).toMatchObject({
      source: { type: 'kept', restarts: true },
      volumes: [{ id: volumeId }],
    });
    expect(await serviceRow(service.id)).toMatchObject({ runnerId: old.runnerId, nextRunnerId: null });
    const { status } = await deploymentRow(deployment.id);
    expect(status).toBe(step === 'abort' ? 'aborted' : 'failed');
    await succeed(oldRunner, restart);
    expect(await serviceRow(service.id)).toMatchObject({ stopped: false, status: 'active' });
    const left = await removals(next.runnerId);
    expect(left.map(({ task }) => task)).toMatchObject([{ kind: 'remove-volume', volumeId }]);
    expect((await move()).status).toBe(200);
  },
);

test('a move whose new host goes away for ten minutes ends, and the service starts again', async () => {
  await move();
  await answered(oldRunner);
  const backup = await oldRunner.next('start');
  await nextRunner.disconnect();
  await expect.poll(async () => (await runnerRow(next.runnerId)).connectedAt).toBeNull();
  await deps.db
    .update(runners)
    .set({ disconnectedAt: deps.now() - 11 * 60_000 })
    .where(eq(runners.id, next.runnerId));
  await succeed(oldRunner, backup, archiveOf(backup));
  await settleMoves(deps);
  expect((await oldRunner.nextDeployment()).spec).toMatchObject({ source: { type: 'kept' } });
});

test('a deployment that waited for a move is done where the service is, and never where its files are not', async () => {
  await move();
  await answered(oldRunner);
  const { deployment } = (await ask('POST', '/deployments')).body;
  await fail(oldRunner, await oldRunner.next('start'));
  await settleMoves(deps);
  const start = await oldRunner.nextDeployment();
  expect(start.spec).toMatchObject({ deploymentId: deployment.id, source: { type: 'git' } });
});

test('what can not move is refused with the way out', async () => {
  const refused = async (given: Promise<{ status: number; body: Json }>) => {
    const { status, body } = await given;
    return `${status} ${body.error}`;
  };
  expect(await refused(move({ runnerId: old.runnerId }))).toMatch(/^409 .*is on this host already/);
  expect(await refused(move({ runnerId: 'run_unknown' }))).toMatch(/^400 .*runnerId/);
  expect(
    await refused(
      move(
        {},
        clientWithBucket(() => true),
      ),
    ),
  ).toMatch(/^409 .*backupBucket/);
  const patched = ask('PATCH', '', { runnerId: next.runnerId });
  expect(await refused(patched)).toMatch(/^409 .*POST \/api\/services\/<id>\/move/);
  await deps.db
    .update(runners)
    .set({ facts: { ...testFacts, fillsVolumes: false } })
    .where(eq(runners.id, next.runnerId));
  expect(await refused(move())).toMatch(/^409 .*too old to take volumes/);
  const plain = await old.addService();
  const other = call('POST', `/api/services/${plain.id}/move`, { token, body: { runnerId: next.runnerId } });
  expect(await refused(other)).toMatch(/^409 .*PATCH/);
});
