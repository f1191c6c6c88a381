/**
 * A service with volumes goes to another host with its files. How moves end otherwise: move-ends.test.ts.
 * @module-tag slow
 */
import { and, eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { jobs } from '../../../../worker/store/schema/jobs.ts';
import { tenantDays } from '../../../../worker/store/schema/tenant-days.ts';
import { tenants } from '../../../../worker/store/schema/tenants.ts';
import { oldDataForMs, settleMoves } from '../../../../worker/usecases/jobs/settle-moves.ts';
import { deps, type Json } from '../../../support/worker/api.ts';
import { serviceRow } from '../../../support/worker/host.ts';
import {
  answered,
  archiveOf,
  fail,
  removals,
  succeed,
  useMovingService,
} from '../../../support/worker/moving-service.ts';
import { clientWithBucket } from '../../../support/worker/remote-backup.ts';

const scene = useMovingService();

test('a move prepares the image, stops the service, copies its volumes in order, starts on the new host, and keeps the old files for three days', async () => {
  const dry = (await scene.move({ dryRun: true })).body;
  expect(dry).toMatchObject({ deployment: null, switch: 'stop-start', dataMb: null });
  expect((await serviceRow(scene.service.id)).stopped).toBe(false);
  const { deployment, detail } = (await scene.move()).body;
  expect(detail).toContain('while the service still answers');
  expect((await scene.move()).status).toBe(409);
  await scene.prepared(async () => {
    expect(await scene.oldRunner.unread()).toEqual([]);
    expect(await serviceRow(scene.service.id)).toMatchObject({
      stopped: false,
      runnerId: scene.old.runnerId,
    });
  });
  expect(await serviceRow(scene.service.id)).toMatchObject({ stopped: true, runnerId: scene.old.runnerId });
  // What was asked for during the preparation waits for the end of the move.
  const { deployment: later } = (await scene.ask('POST', '/deployments')).body;
  expect(await answered(scene.oldRunner)).toMatchObject({
    kind: 'stop-service',
    serviceId: scene.service.id,
  });
  const backup = await scene.oldRunner.next('start');
  expect(backup.spec).toMatchObject({
    ...{ kind: 'volume-backup', toDisk: false, volume: { id: scene.volumeId }, quiesce: { type: 'none' } },
    remoteKey: expect.stringContaining(scene.service.id),
  });
  expect(await scene.nextRunner.unread()).toEqual([]);
  await succeed(scene.oldRunner, backup, archiveOf(backup));
  const fill = await scene.nextRunner.next('start');
  expect(fill.spec).toMatchObject({
    kind: 'volume-fill',
    volume: { id: scene.volumeId },
    backup: { rows: 7 },
  });
  await succeed(scene.nextRunner, fill);
  const start = await scene.nextRunner.nextDeployment();
  expect(start.spec).toMatchObject({
    ...{ deploymentId: deployment.id, volumes: [{ id: scene.volumeId }], logLinesBefore: 0 },
    source: { type: 'kept', deploymentId: deployment.id, commitSha: 'c0ffee' },
  });
  expect(start.spec).not.toHaveProperty('preparesOnly');
  await succeed(scene.nextRunner, start);
  const waited = await scene.nextRunner.nextDeployment();
  expect(waited.spec).toMatchObject({ deploymentId: later.id, source: { type: 'git' } });
  await succeed(scene.nextRunner, waited);
  expect(await serviceRow(scene.service.id)).toMatchObject({
    ...{ runnerId: scene.next.runnerId, nextRunnerId: null, stopped: false, status: 'active' },
  });
  expect(await answered(scene.oldRunner)).toMatchObject({ kind: 'remove-service' });
  const volumesLeft = async () =>
    (await removals(scene.old.runnerId)).filter(({ task }) => task.kind === 'remove-volume');
  const kept = await volumesLeft();
  expect(kept.map(({ task }) => task)).toMatchObject([{ kind: 'remove-volume', volumeId: scene.volumeId }]);
  expect((kept[0]?.dueAt ?? 0) - deps.now()).toBeGreaterThan(oldDataForMs - 60_000);
  expect((await scene.ask('GET', '/volume-backups')).body.backups).toMatchObject([
    { trigger: 'move', status: 'succeeded', storage: 'remote', volumeId: scene.volumeId },
  ]);
  // The way back replaces what is kept there, so that is no longer removed.
  await scene.ask('POST', '/move', { runnerId: scene.old.runnerId });
  const preparation = await scene.oldRunner.nextDeployment();
  await succeed(scene.oldRunner, preparation, { imageTag: 'prepared' });
  expect(await volumesLeft()).toEqual([]);
});

test('a move counts the minutes of its build once, not those of the start on the new host', async () => {
  await deps.db
    .update(tenants)
    .set({ quotas: { buildMinutesPerDay: 10_000 } })
    .where(eq(tenants.id, 'default'));
  const minutes = 60_000;
  /** The active jobs began a minute earlier. */
  const age = () =>
    deps.db
      .update(jobs)
      .set({ claimedAt: sql`claimed_at - ${minutes}` })
      .where(and(eq(jobs.serviceId, scene.service.id), eq(jobs.state, 'active')));
  const buildMs = async () => {
    const days = await deps.db.select().from(tenantDays).where(eq(tenantDays.tenantId, 'default'));
    return days.reduce((sum, day) => sum + day.buildMs, 0);
  };
  const before = await buildMs();
  await scene.move();
  await scene.prepared(age);
  const built = await buildMs();
  expect(built - before).toBeGreaterThanOrEqual(minutes);
  await answered(scene.oldRunner);
  const backup = await scene.oldRunner.next('start');
  await succeed(scene.oldRunner, backup, archiveOf(backup));
  await succeed(scene.nextRunner, await scene.nextRunner.next('start'));
  const start = await scene.nextRunner.nextDeployment();
  await age();
  await succeed(scene.nextRunner, start);
  expect(await serviceRow(scene.service.id)).toMatchObject({ runnerId: scene.next.runnerId });
  expect(await buildMs()).toBe(built);
  await deps.db.update(tenants).set({ quotas: {} }).where(eq(tenants.id, 'default'));
});

test('a deployment that waited for a move is done where the service is, and never where its files are not', async () => {
  await scene.move();
  await scene.prepared();
  await answered(scene.oldRunner);
  const { deployment } = (await scene.ask('POST', '/deployments')).body;
  await fail(scene.oldRunner, await scene.oldRunner.next('start'));
  await settleMoves(deps);
  const start = await scene.oldRunner.nextDeployment();
  expect(start.spec).toMatchObject({ deploymentId: deployment.id, source: { type: 'git' } });
});

test('what can not move is refused with the way out', async () => {
  const refused = async (given: Promise<{ status: number; body: Json }>) => {
    const { status, body } = await given;
    return `${status} ${body.error}`;
  };
  expect(await refused(scene.move({ runnerId: scene.old.runnerId }))).toMatch(
    /^409 .*is on this host already/,
  );
  expect(await refused(scene.move({ runnerId: 'run_unknown' }))).toMatch(/^400 .*runnerId/);
  expect(
    await refused(
      scene.move(
        {},
        clientWithBucket(() => true),
      ),
    ),
  ).toMatch(/^409 .*backupBucket/);
  const patched = scene.ask('PATCH', '', { runnerId: scene.next.runnerId });
  expect(await refused(patched)).toMatch(/^409 .*POST \/api\/services\/<id>\/move/);
  const plain = await scene.old.addService();
  const other = scene.call('POST', `/api/services/${plain.id}/move`, {
    token: scene.token,
    body: { runnerId: scene.next.runnerId },
  });
  expect(await refused(other)).toMatch(/^409 .*PATCH/);
});
